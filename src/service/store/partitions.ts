import { addDays } from 'date-fns/addDays';
import { subDays } from 'date-fns/subDays';
import { type Kysely, sql } from 'kysely';
import type { ServiceTables } from './tables.ts';
import { lockWriters } from './writer-lock.ts';

/** Signals older than this go to the default partition, as do those older than signals are kept. */
const OLDEST_DAYS = 30;

export interface Partitions {
  /** Makes the partitions of these moments' days, in a transaction of its own. */
  ensure(moments: readonly Date[], now: Date): Promise<void>;
}

export function createPartitions(db: Kysely<ServiceTables>, signalRetentionDays: number | null): Partitions {
  const oldestDays = Math.min(OLDEST_DAYS, signalRetentionDays ?? OLDEST_DAYS);
  const made = new Set<string>();

  return {
    async ensure(moments, now) {
      const oldest = subDays(now, oldestDays);
      const recent = moments.filter((moment) => moment >= oldest).map((moment) => moment.toISOString().slice(0, 10));
      const missing = [...new Set(recent)].filter((day) => !made.has(day));
      if (missing.length === 0) {
        return;
      }
      for (const day of missing) {
        await createPartition(db, day);
        made.add(day);
      }
    },
  };
}

async function createPartition(db: Kysely<ServiceTables>, day: string): Promise<void> {
  const from = new Date(`${day}T00:00:00Z`);
  try {
    await db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      await sql`
        create table if not exists ${sql.table(`signals_${day.replaceAll('-', '')}`)} partition of signals
        for values from (${sql.lit(from.toISOString())}) to (${sql.lit(addDays(from, 1).toISOString())})
      `.execute(tx);
    });
  } catch (error) {
    if (!isCheckViolation(error)) {
      throw error;
    }
    // The default partition holds signals of that day, as after the clock was wrong: the day stays there.
  }
}

function isCheckViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23514';
}
