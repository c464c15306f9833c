import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { HANG_MS } from './test/support/hang.ts';

/** The files that a worker runs one after another load each module once. That saves a quarter of the processor time. */
const SHARED_MODULES = { isolate: false };

/** The sources, as in `paths` of tsconfig.json: its package names what is built. */
const LOCAL_SLACK = join(import.meta.dirname, 'packages/local-slack/src/local-slack.ts');

/** Minutes of simulated traffic for each assertion. */
const SCENARIOS = ['src/**/*-scenarios.test.ts', 'bench/lab/*.test.ts'];

const BROWSER = [
  'test/contract/*-{pictures,pages}.test.ts',
  'test/contract/slack-flows.test.ts',
  'test/contract/dashboard-{print,reading,sight,snippets}.test.ts',
  'test/contract/service-comparison.test.ts',
  'test/contract/service-dashboard-{accessibility,live,safety}.test.ts',
  'packages/*/test/page/**/*.test.ts',
];
const FUZZ = ['test/contract/service-{fuzz,model}.test.ts'];

/** Each of their tests starts programs, installs a package, builds one, or takes as long. */
const PROGRAMS = [
  'examples/shop/*.test.ts',
  'packages/*/test/cli.test.ts',
  'src/database/{embedded-postgres,replica-pool}.test.ts',
  'test/chaos/{nats,sigkill,systems,waking}.test.ts',
  'test/contract/service-real-*.test.ts',
  'test/e2e/*.test.ts',
];

/** What `.ci/weekly.sh` runs beside more rounds and seeds of what the gate runs too. */
const WEEKLY = [
  'packages/*/test/package.test.ts',
  'test/chaos/forgetful-service.test.ts',
  'test/contract/release.test.ts',
  'test/e2e/haproxy.test.ts',
];

/** What the two transports do differently: acknowledgements, repeated deliveries, and who sends. */
const WHERE_TRANSPORT_MATTERS = [
  'test/contract/bot-{commands,events,note,shortcuts,start}.test.ts',
  'test/hardship/bot-{delivery,kept,life}.test.ts',
];

/**
 * `npm test` runs what fits a break: what each part does. `--mode all` adds what only the gate of the repository runs: what the
 * parts do when others are late, away, wrong or too many (`test/hardship`), simulated systems, the pages in a browser, programs,
 * attacks, fuzzing, the bot over signed HTTP, and more chaos seeds. `--mode weekly` adds all chaos seeds, rows of
 * faults and more kills (`.ci/weekly.sh`). `--mode pictures` adds the programs that draw the pictures of the docs.
 */
export default defineConfig(({ mode }) => {
  const isWeekly = mode === 'weekly';
  const isAll = mode === 'all' || isWeekly;
  const project = (name: string, include: string[], test: object = {}) => ({
    extends: true as const,
    test: { name, include, ...test },
  });
  /** Programs that share two cores with many others say little: in the gate they run after all else, three at a time. */
  const programs = isAll ? { maxWorkers: 3, sequence: { groupOrder: 1 } } : {};
  const notInABreak = (files: string[]) => (mode === 'test' ? files : []);
  const onlyWeekly = isWeekly ? [] : WEEKLY;
  return {
    resolve: { alias: { 'local-slack': LOCAL_SLACK } },
    test: {
      globalSetup: ['test/support/global-setup.ts'],
      setupFiles: ['test/support/property-seed.ts', 'test/support/jitter.ts'],
      maxWorkers: Math.min(8, availableParallelism() * 2), // tests often wait, but share 200 connections to PostgreSQL
      testTimeout: 2 * HANG_MS, // assertions fail a test, not a busy machine
      hookTimeout: 2 * HANG_MS,
      expect: { poll: { timeout: HANG_MS } },
      provide: { chaosSeedsPerTransport: isWeekly ? 15 : isAll ? 2 : 1, shareOfRuns: isAll ? 1 : 0.25, isWeekly },
      projects: [
        project(
          'unit',
          [
            'src/**/*.test.{ts,tsx}',
            'packages/*/src/**/*.test.{ts,tsx}',
            'test/architecture/*.test.ts',
            'bench/**/*.test.ts',
          ],
          { ...SHARED_MODULES, exclude: notInABreak([...SCENARIOS, ...PROGRAMS]) },
        ),
        project('contract', ['test/contract/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'examples/**/*.test.ts'], {
          ...SHARED_MODULES,
          exclude: [...onlyWeekly, ...notInABreak([...BROWSER, ...FUZZ, ...PROGRAMS])],
        }),
        project('hardship', ['test/hardship/*.test.ts'], {
          ...SHARED_MODULES,
          exclude: notInABreak(['test/hardship/*.test.ts']),
        }),
        project('e2e', ['test/e2e/**/*.test.ts'], {
          ...SHARED_MODULES,
          ...programs,
          testTimeout: 900_000,
          exclude: [...onlyWeekly, ...notInABreak(PROGRAMS)],
        }),
        project('chaos', ['test/chaos/**/*.test.ts'], {
          ...SHARED_MODULES,
          ...programs,
          exclude: [...onlyWeekly, ...notInABreak([...PROGRAMS, 'test/chaos/socket.test.ts'])],
        }),
        ...(mode === 'pictures' ? [project('pictures', ['test/pictures/*.test.ts'])] : []),
        ...(isAll
          ? [
              project('bot over signed HTTP', WHERE_TRANSPORT_MATTERS, {
                ...SHARED_MODULES,
                env: { BOT_TRANSPORT: 'http' },
              }),
            ]
          : []),
      ],
    },
  };
});
