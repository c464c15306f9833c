import { type Kysely, sql, type Transaction } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createLoop } from '../../runtime/loop.ts';
import { BackPressureError } from '../core/errors.ts';
import { foldSignals } from '../core/fold.ts';
import type { SignalBatch } from '../core/signal.ts';
import { createPartitions } from '../store/partitions.ts';
import { lockWriters } from '../store/signal-state.ts';
import type { ServiceTables } from '../store/tables.ts';
import { isStorageUnavailable } from '../store/unavailable.ts';
import { formIncidents, hasWork } from './form-incidents.ts';
import { createGroupCommit, QueueFullError } from './group-commit.ts';
import { endSignals, withPossibleTime, writeCalls, writeSignals } from './write-signals.ts';

/** Maximum number of folded signals and calls that wait for the running transaction. */
export const MAX_QUEUED_SIGNALS = 20_000;

/** How often waiting signals are correlated again: a group may settle without new signals. */
const CORRELATE_AGAIN_MS = 1_000;

/** The only way of signals into the store: folds them, commits them in groups and correlates them into incidents. */
export interface Intake extends AsyncDisposable {
  /**
   * Resolves once the batch is durable and correlated.
   *
   * @throws {BackPressureError} nothing was kept
   */
  accept(batch: SignalBatch): Promise<void>;
  /** Number of signals and calls that wait for the running transaction. */
  queueSize(): number;
}

export function createIntake(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly signalRetentionDays: number | null;
  /** Called once the batch is durable. */
  readonly onAccepted: (signals: SignalBatch['signals']) => void;
  /** Called with the number of new incidents once they are durable. */
  readonly onIncidentsOpened: (count: number) => void;
}): Intake {
  const { db, logger, clock, signalRetentionDays } = deps;
  const partitions = createPartitions(db, signalRetentionDays);
  const queue = createGroupCommit({
    commit: writeGroup,
    sizeOf: ({ signals, calls, ends = [] }: SignalBatch) => signals.length + calls.length + ends.length,
    maxWaiting: MAX_QUEUED_SIGNALS,
  });

  async function writeGroup(batches: readonly SignalBatch[]): Promise<void> {
    const at = clock.now();
    const signals = foldSignals(batches.flatMap((batch) => batch.signals));
    await partitions.ensure(
      signals.map(({ observedAt }) => observedAt),
      at,
    );
    const openedIds = await db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      const calls = batches.flatMap((batch) => batch.calls);
      const ends = batches.flatMap((batch) => batch.ends ?? []);
      await writeCalls(tx, calls, at);
      await writeSignals(tx, signals, at);
      await endSignals(tx, ends, at);
      return correlateSafely(tx, at);
    });
    if (openedIds.length > 0) {
      logger.info({ incidentIds: openedIds }, 'incidents opened');
      deps.onIncidentsOpened(openedIds.length);
    }
  }

  /** Signals are kept when correlation fails. @returns ids of the incidents that opened */
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

  const correlateAgain = createLoop({
    name: 'correlation',
    async step() {
      if (await hasWork(db, clock.now())) {
        await queue.add({ signals: [], calls: [] });
      }
      return CORRELATE_AGAIN_MS;
    },
    retry: { firstMs: CORRELATE_AGAIN_MS, longestMs: 30_000 },
    logger,
    clock,
  });
  correlateAgain.start();

  return {
    async accept(batch) {
      const at = clock.now();
      const signals = foldSignals(batch.signals.map((signal) => withPossibleTime(signal, at)));
      try {
        await queue.add({ ...batch, signals });
      } catch (cause) {
        if (cause instanceof QueueFullError || isStorageUnavailable(cause)) {
          logger.warn({ err: cause }, 'signals refused for now');
          throw new BackPressureError('signals cannot be stored now', { cause });
        }
        throw cause;
      }
      deps.onAccepted(signals);
    },

    queueSize: () => queue.waitingSize(),

    async [Symbol.asyncDispose]() {
      await correlateAgain[Symbol.asyncDispose]();
      await queue.close();
    },
  };
}
