import { addDays } from 'date-fns/addDays';
import { subDays } from 'date-fns/subDays';
import { subMinutes } from 'date-fns/subMinutes';
import { type Kysely, sql } from 'kysely';
import { WAITING_MINUTES } from './limits.ts';
import type { ServiceTables } from './tables.ts';
import { lockWriters } from './writer-lock.ts';

/** How many rows of the default partition go in one statement. */
const DELETED_AT_ONCE = 10_000;

export interface SignalRetention {
  /** @throws when a partition is in use for long: then it stays, to be dropped next time */
  prune(now: Date): Promise<void>;
}

/**
 * Removes signals that were observed more than `days` ago, day by day with their partition. Those of an incident that is
 * open, or was closed less than `days` ago, stay: they move to the default partition, and go from there when their time
 * has come. Incidents stay for good, with their counts and what was found out about them.
 *
 * @param days at least 1, which is longer than a closed incident takes signals; null: nothing is removed
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
      while ((await deleteFromDefault(db, cutoff, now)) === DELETED_AT_ONCE) {
        // until no more are left
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

/** Whoever reads or writes signals waits while this runs, so it waits for them only a moment, and touches few rows. */
async function dropPartition(db: Kysely<ServiceTables>, name: string, cutoff: Date, now: Date): Promise<void> {
  const partition = sql.table(name);
  await db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = '1s'`.execute(tx);
    await lockWriters(tx);
    if ((await findPartitionsBefore(tx, cutoff)).includes(name)) {
      await sql`alter table signals detach partition ${partition}`.execute(tx);
      await sql`
        insert into signals
        select ${partition}.* from incidents join ${partition} on incident_id = incidents.id where ${isFresh(cutoff)}
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
        and not exists (select from incidents where incidents.id = incident_id and ${isFresh(cutoff)})
      limit ${DELETED_AT_ONCE}
    )
  `.execute(db);
  return Number(numAffectedRows);
}

/** Of an incident. */
function isFresh(cutoff: Date) {
  return sql`(incidents.closed_at is null or incidents.closed_at >= ${cutoff})`;
}

/** Of a signal: it arrived a moment ago, and may still come into an incident. */
function isWaiting(now: Date) {
  return sql`(incident_id is null and received_at > ${subMinutes(now, WAITING_MINUTES)})`;
}
