import { type Kysely, sql, type Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { SignalEnd } from '../core/signal.ts';
import { BackPressureError, type IngestBatch } from '../ingest/otlp-http.ts';
import { createGroupCommit, QueueFullError } from './group-commit.ts';
import { formIncidents, isAnythingWaiting } from './incident-former.ts';
import { MAX_QUEUED_SIGNALS } from './limits.ts';
import { createPartitions } from './partitions.ts';
import { addCalls, appendSignals, foldSignals } from './signal-append.ts';
import { endSignals } from './signal-end.ts';
import type { ServiceTables } from './tables.ts';
import { isStorageUnavailable } from './unavailable.ts';
import { lockWriters } from './writer-lock.ts';

/** How often signals that wait are looked at again: time alone may tell that they belong together. */
const LOOK_AGAIN_MS = 1_000;

/** The one way of signals into the store. */
export interface Intake extends AsyncDisposable {
  /**
   * Resolves once the batch is durable and in its incidents.
   *
   * @throws {BackPressureError} when storage is behind or away; nothing was kept
   */
  accept(batch: IngestBatch): Promise<void>;
  /** Of signals and calls that wait for the transaction that runs. */
  queueSize(): number;
}

export function createIntake(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Told how many incidents opened, once that is durable. */
  readonly onIncidentsOpened: (count: number) => void;
}): Intake {
  const { db, logger, now } = deps;
  const partitions = createPartitions(db);
  const queue = createGroupCommit({
    commit: (batches: readonly IngestBatch[]) =>
      write(
        batches.flatMap(({ signals }) => signals),
        batches.flatMap(({ calls }) => calls),
        batches.flatMap(({ ends = [] }) => ends),
      ),
    sizeOf: ({ signals, calls, ends = [] }) => signals.length + calls.length + ends.length,
    maxWaiting: MAX_QUEUED_SIGNALS,
  });

  async function write(
    observed: IngestBatch['signals'],
    calls: IngestBatch['calls'],
    ends: readonly SignalEnd[],
  ): Promise<void> {
    const at = now();
    const signals = foldSignals(observed, at);
    await partitions.ensure(
      signals.map(({ observedAt }) => observedAt),
      at,
    );
    const incidentIds = await db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      await addCalls(tx, calls, at);
      await appendSignals(tx, signals, at);
      await endSignals(tx, ends, at);
      return correlateSafely(tx, at);
    });
    if (incidentIds.length > 0) {
      logger.info({ incidentIds }, 'incidents opened');
      deps.onIncidentsOpened(incidentIds.length);
    }
  }

  /** A fault of the correlation must not cost the signals. @returns the ids of the incidents that open */
  async function correlateSafely(tx: Transaction<ServiceTables>, at: Date): Promise<string[]> {
    await sql`savepoint correlation`.execute(tx);
    try {
      return await formIncidents(tx, at);
    } catch (err) {
      if (isStorageUnavailable(err)) {
        throw err;
      }
      await sql`rollback to savepoint correlation`.execute(tx);
      logger.error({ err }, 'correlation failed; the signals are kept');
      return [];
    }
  }

  const lookAgain = startEvery(LOOK_AGAIN_MS, logger, async () => {
    if (await isAnythingWaiting(db, now())) {
      await queue.add({ signals: [], calls: [] });
    }
  });

  return {
    async accept(batch) {
      try {
        await queue.add(batch);
      } catch (cause) {
        if (cause instanceof QueueFullError || isStorageUnavailable(cause)) {
          logger.warn({ err: cause }, 'signals refused for now');
          throw new BackPressureError('signals cannot be stored now', { cause });
        }
        throw cause;
      }
    },

    queueSize: () => queue.waitingSize(),

    async [Symbol.asyncDispose]() {
      await lookAgain.stop();
      await queue.close();
    },
  };
}

/** Runs `work` again and again, never twice at once, without keeping the process alive. Of faults in a row the first is logged. */
function startEvery(periodMs: number, logger: Logger, work: () => Promise<void>): { stop(): Promise<void> } {
  let running: Promise<void> | null = null;
  let failing = false;

  async function run(): Promise<void> {
    try {
      await work();
      failing = false;
    } catch (err) {
      if (!failing) {
        logger.warn({ err }, 'waiting signals could not be looked at');
      }
      failing = true;
    }
    running = null;
  }

  const timer = setInterval(() => {
    running ??= run();
  }, periodMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
