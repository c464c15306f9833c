import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { joinDatabase } from '../../database/database.ts';
import { createRealClock } from '../../runtime/clock.ts';
import { openLog } from '../log/open-log.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../store/schema/tables.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { createProgress } from './progress.ts';

/**
 * The thread that correlates, with connections of its own. It is started by `correlator.ts`. Node runs its source itself,
 * since loading tsx again would double the time to start: so it must not import `.tsx`.
 */
const { source, natsUrl, process, isFirstStart, logLevel, memory } = workerData as ThreadData; // from `correlator.ts`

function send(message: FromThread): void {
  parentPort?.postMessage(message);
}

const logger = pino(
  { level: logLevel, base: null, timestamp: false },
  { write: (line: string) => send({ kind: 'log', line }) },
);
const progress = createProgress(memory);
const clock = createRealClock(() => new Date(Date.now() + progress.skewMs()));
const database = joinDatabase(source, logger);

async function run(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  stack.use(database);
  let pipeline: Pipeline | null = null;
  const stopped = new Promise<void>((resolve) => {
    parentPort?.on('message', (message: ToThread) => (message === 'stop' ? resolve() : pipeline?.kick()));
  });
  const db = database.share<ServiceTables>(SERVICE_SCHEMA, 'correlation');
  pipeline = stack.use(
    createPipeline({
      db,
      logger,
      clock,
      log: stack.use(openLog(natsUrl, db)),
      process,
      isFirstStart,
      progress,
      events: {
        alive: () => send({ kind: 'alive' }),
        stepped: (report) => send({ kind: 'stepped', report }),
        setAside: (cause) => send({ kind: 'setAside', cause }),
        snapshotTaken: (bytes) => send({ kind: 'snapshotTaken', bytes }),
      },
    }),
  );
  pipeline.start();
  await stopped;
}

await run();
parentPort?.close();
