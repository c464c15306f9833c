import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The files that a worker runs one after another load each module once. That saves a quarter of the processor time. */
const SHARED_MODULES = { isolate: false };
const OVER_HTTP = { ...SHARED_MODULES, env: { BOT_TRANSPORT: 'http' } };

/** The sources, as in `paths` of tsconfig.json: its package names what is built. */
const LOCAL_SLACK = join(import.meta.dirname, 'packages/local-slack/src/local-slack.ts');

/** Attacks and restarts under load: they take most of a minute each. */
const GATE_ONLY = ['attack', 'disk-full', 'haproxy', 'ingest-bombs', 'rolling-restart', 'shop-incidents'].map(
  (name) => `test/e2e/${name}.test.ts`,
);

/** What the two transports do differently: acknowledgements, repeated deliveries, and who sends. */
const WHERE_TRANSPORT_MATTERS = ['commands', 'delivery', 'events', 'kept', 'life', 'note', 'shortcuts', 'start'].map(
  (name) => `test/contract/bot-${name}.test.ts`,
);

/**
 * `--mode all` adds what only the gate of the repository runs: attacks, the bot over signed HTTP, and all chaos seeds.
 */
export default defineConfig(({ mode }) => {
  const isAll = mode === 'all';
  const project = (name: string, include: string[], test: object = {}) => ({
    extends: true as const,
    test: { name, include, ...test },
  });
  return {
    resolve: { alias: { 'local-slack': LOCAL_SLACK } },
    test: {
      globalSetup: ['test/support/global-setup.ts'],
      setupFiles: ['test/support/property-seed.ts'],
      maxWorkers: Math.min(8, availableParallelism() * 2), // tests often wait, but share 200 connections to PostgreSQL
      testTimeout: 180_000, // assertions fail a test, not a busy machine
      hookTimeout: 180_000,
      expect: { poll: { timeout: 30_000 } },
      provide: { chaosSeedsPerTransport: isAll ? 25 : 4 },
      projects: [
        project(
          'unit',
          [
            'src/**/*.test.{ts,tsx}',
            'packages/*/src/**/*.test.{ts,tsx}',
            'test/architecture/*.test.ts',
            'bench/**/*.test.ts',
          ],
          SHARED_MODULES,
        ),
        project(
          'contract',
          ['test/contract/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'examples/**/*.test.ts'],
          SHARED_MODULES,
        ),
        project('e2e', ['test/e2e/**/*.test.ts'], { testTimeout: 900_000, exclude: isAll ? [] : GATE_ONLY }), // they start processes
        project('chaos', ['test/chaos/**/*.test.ts']),
        ...(isAll ? [project('bot over signed HTTP', WHERE_TRANSPORT_MATTERS, OVER_HTTP)] : []),
      ],
    },
  };
});
