import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `--mode all` adds what only the gate of the repository runs: the bot over signed HTTP, and all chaos seeds. */
export default defineConfig(({ mode }) => {
  const isAll = mode === 'all';
  const project = (name: string, include: readonly string[]) => ({
    extends: true as const,
    test: { name, include: [...include] },
  });
  return {
    test: {
      globalSetup: ['test/support/global-setup.ts'],
      maxWorkers: availableParallelism() * 2, // tests wait more than they compute
      testTimeout: 20_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 10_000 } },
      provide: { chaosSeedsPerTransport: isAll ? 25 : 4 },
      projects: [
        project('unit', ['src/**/*.test.{ts,tsx}', 'packages/*/src/**/*.test.{ts,tsx}']),
        project('contract', ['test/contract/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'examples/**/*.test.ts']),
        project('e2e', ['test/e2e/**/*.test.ts']),
        project('chaos', ['test/chaos/**/*.test.ts']),
        ...(isAll
          ? [
              {
                extends: true as const,
                test: {
                  name: 'bot over signed HTTP',
                  include: ['test/contract/bot-*.test.ts'],
                  env: { BOT_TRANSPORT: 'http' },
                },
              },
            ]
          : []),
      ],
    },
  };
});
