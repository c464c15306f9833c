import { type Kysely, sql, type Transaction } from 'kysely';
import { fromNow, isDue } from '../../../database/lease.ts';
import type { Observed } from '../../core/observed.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';

/**
 * One process correlates a partition at a time; another one takes over when the lease has expired. The lease only avoids
 * duplicate work. Correctness depends on the position in the log, which is advanced by compare-and-set.
 */
export const LEASE_MS = 2_000;

/** What a process needs to continue where the last one stopped. */
export interface CorrelationPosition {
  /** Sequence of the last entry of the log whose incidents are stored. */
  readonly position: bigint;
  /** Sequence of the last entry that the snapshot contains. */
  readonly snapshotPosition: bigint;
}

export interface Snapshot {
  readonly version: number;
  /** See `toSnapshotBytes`. */
  readonly state: Buffer;
}

/** A partition, as one process sees it. */
export interface PartitionWork {
  readonly partition: string;
  /** The process is the last one that had the lease. */
  readonly isOwn: boolean;
  /** The lease has expired. */
  readonly isDue: boolean;
  /** This process has the lease, and for so long that it need not be renewed yet. */
  readonly isLeased: boolean;
  readonly hasEntries: boolean;
  /** The last entry whose incidents are stored. */
  readonly position: bigint;
}

/** Names of all partitions, in alphabetical order. */
export async function listPartitions(db: Kysely<ServiceTables>): Promise<string[]> {
  const rows = await db.selectFrom('correlation').select('partition').orderBy('partition').execute();
  return rows.map(({ partition }) => partition);
}

/** Begins a partition, unless it has begun. */
export async function beginPartition(db: Kysely<ServiceTables>, partition: string): Promise<void> {
  await sql`
    insert into correlation (partition, position, snapshot_version, snapshot_position) values (${partition}, 0, 0, 0)
    on conflict (partition) do nothing
  `.execute(db);
}

/** All partitions, in alphabetical order, and how many other processes correlate. Needs no lock. */
export async function findWork(
  db: Kysely<ServiceTables>,
  process: string,
): Promise<{ readonly partitions: readonly PartitionWork[]; readonly others: number }> {
  const { rows } = await sql<Omit<PartitionWork, 'position'> & { position: string; others: number }>`
    select partition, leader is not distinct from ${process} as "isOwn", ${isDue('leased_until', LEASE_MS)} as "isDue",
      coalesce(leader = ${process} and leased_until > ${fromNow(LEASE_MS / 2)}, false)
        and not ${isDue('leased_until', LEASE_MS)} as "isLeased",
      exists (select from telemetry_log as log where log.partition = correlation.partition and sequence > position)
        as "hasEntries",
      position,
      (select count(*)::integer from correlators where process <> ${process} and not ${isDue('alive_until', LEASE_MS)})
        as others
    from correlation order by partition
  `.execute(db);
  return {
    partitions: rows.map(({ partition, isOwn, isDue: isFree, isLeased, hasEntries, position }) => ({
      partition,
      isOwn,
      isDue: isFree,
      isLeased,
      hasEntries,
      position: BigInt(position),
    })),
    others: rows[0]?.others ?? 0,
  };
}

export async function hasEntriesAfter(
  db: Kysely<ServiceTables>,
  partition: string,
  position: bigint,
): Promise<boolean> {
  const { rows } = await sql<{ hasEntries: boolean }>`
    select exists (
      select from telemetry_log where partition = ${partition} and sequence > ${String(position)}::bigint
    ) as "hasEntries"
  `.execute(db);
  return rows[0]?.hasEntries === true;
}

/** Tells the other processes that this one correlates too, so that they leave it its share, for as long as a lease. */
export async function announce(db: Kysely<ServiceTables>, process: string): Promise<void> {
  await sql`
    insert into correlators (process, alive_until) values (${process}, ${fromNow(LEASE_MS)})
    on conflict (process) do update set alive_until = excluded.alive_until
  `.execute(db);
}

/** Forgets this process, and those that died. */
export async function leave(db: Kysely<ServiceTables>, process: string): Promise<void> {
  await sql`
    delete from correlators where process = ${process} or ${isDue('alive_until', LEASE_MS)}
  `.execute(db);
}

/** Correlation counts as stopped this long after the lease expired. A leader whose steps all fail does not renew it. */
const LEADERLESS_SECONDS = 30;

/** Whether all partitions are correlated, or were a moment ago. One that never was has no lease. */
export async function hasLeader(db: Kysely<ServiceTables>): Promise<boolean> {
  const { rows } = await sql<{ hasLeader: boolean }>`
    select coalesce(bool_and(leased_until > clock_now() - ${LEADERLESS_SECONDS} * interval '1 second'), true) as "hasLeader"
    from correlation
  `.execute(db);
  return rows[0]?.hasLeader === true;
}

/**
 * Takes or renews leases.
 *
 * @param isStarting takes them even from their holders, because after a restart the holder has usually exited
 * @returns the last entry whose incidents are stored, of each partition whose lease the process has now
 */
export async function takeLeases(
  db: Kysely<ServiceTables>,
  partitions: readonly string[],
  process: string,
  isStarting: boolean,
): Promise<ReadonlyMap<string, bigint>> {
  // In one order, so that two processes never wait for each other.
  const { rows } = await sql<{ partition: string; position: string }>`
    with wanted as (
      select partition from correlation
      where partition = any(${partitions}::text[])
        and (leader = ${process} or ${isStarting} or ${isDue('leased_until', LEASE_MS)})
      order by partition for update
    )
    update correlation set leader = ${process}, leased_until = ${fromNow(LEASE_MS)}
    from wanted where correlation.partition = wanted.partition
    returning correlation.partition, position
  `.execute(db);
  return new Map(rows.map(({ partition, position }) => [partition, BigInt(position)]));
}

/** @param partitions null: all that the process has */
export async function releaseLeases(
  db: Kysely<ServiceTables>,
  process: string,
  partitions: readonly string[] | null,
): Promise<void> {
  await sql`
    update correlation set leader = null, leased_until = clock_now()
    where leader = ${process} and (${partitions}::text[] is null or partition = any(${partitions}::text[]))
  `.execute(db);
}

/** Reads the position of correlation in the log, and its last snapshot. */
export async function readProgress(
  tx: Transaction<ServiceTables>,
  partition: string,
): Promise<CorrelationPosition & { readonly snapshot: Snapshot | null }> {
  const row = await tx
    .selectFrom('correlation')
    .select(['position', 'snapshot', 'snapshot_version', 'snapshot_position'])
    .where('partition', '=', partition)
    .executeTakeFirstOrThrow();
  return {
    position: BigInt(row.position),
    snapshotPosition: BigInt(row.snapshot_position),
    snapshot: row.snapshot === null ? null : { version: row.snapshot_version, state: row.snapshot },
  };
}

/**
 * Advances the position, and holds its row until the end of the transaction.
 *
 * @returns false: another process has advanced it meanwhile
 */
export async function advancePosition(
  tx: Transaction<ServiceTables>,
  partition: string,
  from: bigint,
  to: bigint,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('correlation')
    .set({ position: String(to) })
    .where('partition', '=', partition)
    .where('position', '=', String(from))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** @returns false: nothing was stored, since another process has advanced the position meanwhile */
export async function saveSnapshot(
  tx: Transaction<ServiceTables>,
  partition: string,
  position: bigint,
  { version, state }: Snapshot,
  { calls, changes }: Observed,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('correlation')
    .set({
      snapshot: state,
      snapshot_version: version,
      snapshot_position: String(position),
      calls: toStorableJson(calls),
      changes: toStorableJson(changes),
    })
    .where('partition', '=', partition)
    .where('position', '=', String(position))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Deletes a snapshot that cannot be used, so that the next process to correlate starts without one. */
export async function dropSnapshot(db: Kysely<ServiceTables>, partition: string): Promise<void> {
  await db
    .updateTable('correlation')
    .set({ snapshot: null, snapshot_version: 0 })
    .where('partition', '=', partition)
    .execute();
}

/** Reads the calls and changes that the last snapshot contains. @param partition null: those of all partitions */
export async function readObserved(db: Kysely<ServiceTables>, partition: string | null): Promise<Observed> {
  const rows = await db
    .selectFrom('correlation')
    .select(['calls', 'changes'])
    .$if(partition !== null, (query) => query.where('partition', '=', partition ?? ''))
    .execute();
  return { calls: rows.flatMap(({ calls }) => calls ?? []), changes: rows.flatMap(({ changes }) => changes ?? []) };
}
