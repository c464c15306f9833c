import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { BackPressureError } from '../core/errors.ts';
import { foldSignals } from '../core/fold.ts';
import type { SignalBatch } from '../core/signal.ts';
import { createPartitions } from '../store/partitions.ts';
import { lockWriters } from '../store/signal-state.ts';
import type { ServiceTables } from '../store/tables.ts';
import { appendToLog } from '../store/telemetry-log.ts';
import { isStorageUnavailable } from '../store/unavailable.ts';
import { endSignals, withPossibleTime, writeSignals } from '../store/write-signals.ts';
import { createGroupCommit, QueueFullError } from './group-commit.ts';
import { itemsOf } from './telemetry-items.ts';

/** Maximum number of folded signals and items of telemetry that wait for the running transaction. */
export const MAX_QUEUED_ITEMS = 100_000;

/** The only way of signals into the store: folds them and commits them in groups, with the telemetry to correlate. */
export interface Intake extends AsyncDisposable {
  /**
   * Resolves once the batch is durable; it is correlated later.
   *
   * @throws {BackPressureError} nothing was kept
   */
  accept(batch: SignalBatch): Promise<void>;
  /** Number of signals and items that wait for the running transaction. */
  queueSize(): number;
}

export function createIntake(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly signalRetentionDays: number | null;
  /** Called once the batch is durable. */
  readonly onAccepted: (signals: SignalBatch['signals']) => void;
  /** Called once there is more for correlation to read. */
  readonly onAppended: () => void;
}): Intake {
  const { db, logger, clock, signalRetentionDays } = deps;
  const partitions = createPartitions(db, signalRetentionDays);
  const queue = createGroupCommit({
    commit: writeGroup,
    sizeOf: ({ signals, ends = [], telemetry = [] }: SignalBatch) => signals.length + ends.length + telemetry.length,
    maxWaiting: MAX_QUEUED_ITEMS,
  });

  async function writeGroup(batches: readonly SignalBatch[]): Promise<void> {
    const at = clock.now();
    const signals = foldSignals(batches.flatMap((batch) => batch.signals));
    const ends = batches.flatMap((batch) => batch.ends ?? []);
    const reports = batches.map((batch) => ({ sender: batch.sender ?? null, items: itemsOf(batch, at) }));
    await partitions.ensure(
      signals.map(({ observedAt }) => observedAt),
      at,
    );
    await db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      await writeSignals(tx, signals, at);
      await endSignals(tx, ends, at);
      await appendToLog(tx, { kind: 'telemetry', reports });
    });
    deps.onAppended();
  }

  return {
    async accept(batch) {
      const at = clock.now();
      const signals = foldSignals(batch.signals.map((signal) => withPossibleTime(signal, at)));
      try {
        await queue.add({ ...batch, signals: signedBy(batch.sender, signals) });
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

    [Symbol.asyncDispose]: () => queue.close(),
  };
}

function signedBy(sender: string | undefined, signals: SignalBatch['signals']): SignalBatch['signals'] {
  return sender === undefined ? signals : signals.map((signal) => ({ ...signal, sender }));
}
