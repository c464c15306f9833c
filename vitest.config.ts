import { defineConfig } from 'vitest/config';

const BOT_TESTS = 'test/contract/bot-*.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: '100%', // tests wait more than they compute
    testTimeout: 20_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: [
            'src/**/*.test.{ts,tsx}',
            'packages/*/{src,test}/**/*.test.ts',
            'examples/**/*.test.ts',
            'test/**/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'bot over signed HTTP',
          include: [BOT_TESTS],
          env: { BOT_TRANSPORT: 'http' },
        },
      },
    ],
  },
});
