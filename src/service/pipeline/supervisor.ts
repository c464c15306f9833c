import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { DatabaseSource } from '../../database/database.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import type { Clock } from '../../runtime/clock.ts';
import { settlesWithin } from '../../runtime/timeout.ts';
import { dropSnapshot } from '../store/log/correlation-lease.ts';
import { setAside } from '../store/log/set-aside.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import type { PipelineEvents } from './pipeline-events.ts';
import { createProgress, createSharedMemory, type Progress, type Work } from './progress.ts';

/** Turns the telemetry of all processes into incidents, see `Pipeline`, beside the thread that serves requests. */
export interface Correlator extends AsyncDisposable {
  start(): void;
  /** Something was appended to the log. */
  kick(): void;
}

/** Events for metrics and logs. */
export interface CorrelatorEvents extends PipelineEvents {
  /** The thread ended, for example because it took too long, and was started again. */
  restarted(): void;
}

export interface ThreadLimits {
  /** Processor time that one report, one tick or one snapshot may take. */
  readonly budgetMs: number;
  /** Limit of the heap. Beyond it, the thread ends, not the process. */
  readonly heapMb: number;
  /** Period of the looks at the thread. What it began and ended between two is not seen. */
  readonly watchMs: number;
}

/** Some times what the largest report or slot takes, and four times `stateBytes`. */
const LIMITS: ThreadLimits = { budgetMs: 15_000, heapMb: 1_024, watchMs: 250 };
const STOP_TIMEOUT_MS = 10_000;
const RESTART = { firstMs: 100, longestMs: 30_000 };
/** A thread that ran for this long is started again with the shortest delay. */
const WELL_AFTER_MS = 60_000;

/** After this many failures in a row, something of the partition is set aside even if the failing work is unknown. */
const MANY_FAILURES = 3;

interface Running {
  readonly worker: Worker;
  readonly progress: Progress;
  readonly startedAt: number;
  /** Why it has to end; null: it runs well. */
  fault: { readonly work: Work | null; readonly cause: string } | null;
  /** The work at the last look, and the processor time used until then. */
  seen: { readonly work: Work; readonly cpuMs: number } | null;
}

/**
 * Runs the pipeline in a thread of its own. A thread that works on one thing for too long, or runs out of memory, is
 * ended, and what it worked on is set aside. So the next thread gets further.
 */
export function superviseThread(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly source: DatabaseSource;
  /** See `openLog`. Absent: null. */
  readonly natsUrl?: string | null;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly process: string;
  readonly events: CorrelatorEvents;
  /** Absent: `LIMITS`. */
  readonly limits?: ThreadLimits;
}): Correlator {
  const { db, source, natsUrl = null, logger, clock, process, events, limits = LIMITS } = deps;
  let running: Running | null = null;
  let isStopping = false;
  let isFirstStart = true;
  let failures = 0;
  let cancelTimer = (): void => {};

  function spawn(): void {
    const memory = createSharedMemory();
    const progress = createProgress(memory);
    progress.setSkewMs(skewMs());
    const data: ThreadData = { source, natsUrl, process, isFirstStart, logLevel: logger.level, memory };
    isFirstStart = false;
    const worker = new Worker(new URL(`./thread${extname(import.meta.filename)}`, import.meta.url), {
      name: 'correlation',
      workerData: data,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb },
    });
    const own: Running = { worker, progress, startedAt: performance.now(), fault: null, seen: null };
    running = own;
    worker.on('message', (message: FromThread) => hear(message));
    worker.on('error', (error) => {
      own.fault ??= { work: progress.current(), cause: error instanceof Error ? error.message : String(error) };
    });
    worker.once('exit', () => void recover(own));
    worker.unref();
    cancelTimer = clock.after(limits.watchMs, () => void watch(own));
  }

  function skewMs(): number {
    return clock.now().getTime() - Date.now();
  }

  function hear(message: FromThread): void {
    switch (message.kind) {
      case 'alive':
        events.alive();
        break;
      case 'stepped':
        events.stepped(message.report);
        break;
      case 'setAside':
        events.setAside(message.cause);
        break;
      case 'snapshotTaken':
        events.snapshotTaken(message.bytes);
        break;
      case 'log':
        logLine(logger, message.line);
        break;
    }
  }

  async function watch(own: Running): Promise<void> {
    if (running !== own || isStopping) {
      return;
    }
    own.progress.setSkewMs(skewMs());
    const work = own.progress.current();
    if (work === null || work.number !== own.seen?.work.number) {
      own.seen = work === null ? null : { work, cpuMs: await cpuMs(own.worker) };
    } else if ((await cpuMs(own.worker)) - own.seen.cpuMs > limits.budgetMs) {
      own.fault ??= { work, cause: `it took more than ${limits.budgetMs / 1_000} s of processor time` };
      await own.worker.terminate();
      return;
    }
    cancelTimer = clock.after(limits.watchMs, () => void watch(own));
  }

  /** Sets aside the work that ended the thread, and starts the thread again. */
  async function recover(own: Running): Promise<void> {
    cancelTimer();
    if (running !== own || isStopping) {
      return;
    }
    running = null;
    const fault = own.fault ?? { work: null, cause: 'it ended' };
    failures = performance.now() - own.startedAt > WELL_AFTER_MS ? 1 : failures + 1;
    logger.error({ cause: fault.cause, sequence: String(fault.work?.sequence ?? '') }, 'correlation is started again');
    events.restarted();
    if (fault.work !== null || failures >= MANY_FAILURES) {
      await condemn(fault.work, own.progress.entered(), fault.cause).catch((err: unknown) =>
        logger.error({ err }, 'what correlation failed at could not be set aside'),
      );
    }
    cancelTimer = clock.after(backoffMs(RESTART, failures), () => {
      if (!isStopping) {
        spawn();
      }
    });
  }

  /** @param partition empty: it never got to one, so none is at fault */
  async function condemn(work: Work | null, partition: string, cause: string): Promise<void> {
    if (partition === '') {
      return;
    }
    if (work?.sequence === 0n) {
      await dropSnapshot(db, partition);
    } else {
      await setAside(db, partition, { sequence: null, report: null, ...work, cause });
    }
    events.setAside(cause);
  }

  function post(message: ToThread): void {
    running?.worker.postMessage(message);
  }

  return {
    start: spawn,
    kick: () => post('kick'),
    async [Symbol.asyncDispose]() {
      isStopping = true;
      cancelTimer();
      if (running === null) {
        return;
      }
      const { worker } = running;
      worker.ref();
      const exited = once(worker, 'exit');
      post('stop');
      if (!(await settlesWithin(STOP_TIMEOUT_MS, exited))) {
        await worker.terminate();
      }
    },
  };
}

/** 0 once the thread has ended. */
async function cpuMs(worker: Worker): Promise<number> {
  const usage = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (usage.user + usage.system) / 1_000;
}

const Line = z.looseObject({ level: z.number(), msg: z.string().default('') });

function logLine(logger: Logger, line: string): void {
  const { level, msg, ...fields } = Line.parse(JSON.parse(line));
  const name = logger.levels.labels[level] ?? 'info';
  switch (name) {
    case 'fatal':
    case 'error':
    case 'warn':
    case 'info':
    case 'debug':
    case 'trace':
      logger[name](fields, msg);
      break;
    default:
      logger.info(fields, msg);
  }
}
