import { type Kysely, sql } from 'kysely';
import { addDays, subDays } from '../../../runtime/dates.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { isWaiting, lockWriters } from '../shared/signal-state.ts';

/** Rows of the default partition that one statement deletes. */
const DELETE_BATCH = 10_000;

export interface SignalRetention {
  /** @throws when a partition is locked for too long; it stays until the next run */
  prune(now: Date): Promise<void>;
}

/**
 * Removes signals that were observed more than `days` ago, a day's partition at a time. Signals of incidents that are
 * open, or were closed less than `days` ago, move to the default partition and are deleted from there later. Incidents
 * are kept forever, with their counts and explanations.
 *
 * @param days at least 1, which is longer than a closed incident accepts signals; null: nothing is removed
 */
export function createSignalRetention(db: Kysely<ServiceTables>, days: number | null): SignalRetention {
  return {
    async prune(now) {
      if (days === null) {
        return;
      }
      const cutoff = subDays(now, days);
      for (const partition of await findPartitionsBefore(db, cutoff)) {
        await dropPartition(db, partition, cutoff, now);
      }
      while ((await deleteFromDefault(db, cutoff, now)) === DELETE_BATCH) {
        // until none are left
      }
    },
  };
}

/** Oldest first. */
async function findPartitionsBefore(db: Kysely<ServiceTables>, cutoff: Date): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'signals'::regclass and relname ~ '^signals_[0-9]{8}$'
    order by relname
  `.execute(db);
  return rows.map(({ name }) => name).filter((name) => addDays(dayOf(name), 1) <= cutoff);
}

function dayOf(partition: string): Date {
  return new Date(partition.replace(/^signals_(....)(..)(..)$/, '$1-$2-$3T00:00:00Z'));
}

/** Blocks all readers and writers of signals, so it waits for locks only briefly and moves few rows. */
async function dropPartition(db: Kysely<ServiceTables>, name: string, cutoff: Date, now: Date): Promise<void> {
  const partition = sql.table(name);
  await db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = '1s'`.execute(tx);
    await lockWriters(tx);
    if ((await findPartitionsBefore(tx, cutoff)).includes(name)) {
      await sql`alter table signals detach partition ${partition}`.execute(tx);
      await sql`
        insert into signals
        select ${partition}.* from incidents join ${partition} on incident_id = incidents.id where ${isKept(cutoff)}
        union all
        select * from ${partition} where ${isWaiting(now)}
      `.execute(tx);
      await sql`drop table ${partition}`.execute(tx);
    }
  });
}

async function deleteFromDefault(db: Kysely<ServiceTables>, cutoff: Date, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from signals_default where (observed_at, id) in (
      select observed_at, id from signals_default
      where observed_at < ${cutoff} and not (${isWaiting(now)})
        and not exists (select from incidents where incidents.id = incident_id and ${isKept(cutoff)})
      limit ${DELETE_BATCH}
    )
  `.execute(db);
  return Number(numAffectedRows);
}

/** Condition on an incident: its signals are kept. */
function isKept(cutoff: Date) {
  return sql`(incidents.closed_at is null or incidents.closed_at >= ${cutoff})`;
}
