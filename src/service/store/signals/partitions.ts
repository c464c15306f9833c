import { type Kysely, sql } from 'kysely';
import { addDays, subDays } from '../../../runtime/dates.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { lockWriters } from '../shared/signal-state.ts';

/** Older signals go to the default partition, as do those beyond the retention. */
const OLDEST_DAYS = 30;

/**
 * A signal that is seen again or ends changes in its own page while that has room, without an entry in any index. The text
 * index costs more than the row.
 */
const FILLED_PERCENT = 75;

/** What waits for a lock makes all others wait behind it. */
const PREPARE_MS = 1_000;

export interface Partitions {
  /** Creates the partitions of the days of these moments, each in its own transaction. */
  ensure(moments: readonly Date[], now: Date): Promise<void>;
  /**
   * Creates that of the next day, so that its first signal does not wait for the lists that run then.
   *
   * @throws when lists run for too long
   */
  prepare(now: Date): Promise<void>;
}

export function createPartitions(db: Kysely<ServiceTables>, signalRetentionDays: number | null): Partitions {
  const oldestDays = Math.min(OLDEST_DAYS, signalRetentionDays ?? OLDEST_DAYS);
  const created = new Set<string>();
  const create = async (day: string, longestMs: number) => {
    if (!created.has(day)) {
      await createPartition(db, day, longestMs);
      created.add(day);
    }
  };

  return {
    async ensure(moments, now) {
      const oldest = subDays(now, oldestDays);
      for (const day of new Set(moments.filter((moment) => moment >= oldest).map(dayOf))) {
        await create(day, 0);
      }
    },

    prepare: (now) => create(dayOf(addDays(now, 1)), PREPARE_MS),
  };
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/**
 * Blocks all readers and writers of signals, after those that run.
 *
 * @param longestMs how long to wait for them; 0: without end
 */
async function createPartition(db: Kysely<ServiceTables>, day: string, longestMs: number): Promise<void> {
  const from = new Date(`${day}T00:00:00Z`);
  try {
    await db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(longestMs)}`.execute(tx);
      await lockWriters(tx);
      await sql`
        create table if not exists ${sql.table(`signals_${day.replaceAll('-', '')}`)} partition of signals
        for values from (${sql.lit(from.toISOString())}) to (${sql.lit(addDays(from, 1).toISOString())})
        with (fillfactor = ${sql.lit(FILLED_PERCENT)})
      `.execute(tx);
    });
  } catch (error) {
    if (!isCheckViolation(error)) {
      throw error;
    }
    // The default partition already has signals of that day, for example after the clock was wrong. Keep the day there.
  }
}

function isCheckViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23514';
}
