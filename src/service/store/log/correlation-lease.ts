import { type Kysely, sql, type Transaction } from 'kysely';
import { fromNow, isDue } from '../../../database/lease.ts';
import type { Observed } from '../../core/observed.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';

/**
 * One process correlates at a time; another one takes over when the lease has expired. The lease only avoids duplicate
 * work. Correctness depends on the position in the log, which is advanced by compare-and-set.
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

export interface LeaseState {
  readonly mayLead: boolean;
  /** This process has the lease, and for so long that it need not be renewed yet. */
  readonly isLeased: boolean;
  readonly hasEntries: boolean;
  /** The last entry whose incidents are stored. */
  readonly position: bigint;
}

/** Makes a partition of the log, if it is not there. */
export async function addPartition(db: Kysely<ServiceTables>, partition: string): Promise<void> {
  await db
    .insertInto('correlation')
    .values({ partition, position: '0', snapshot_version: 0, snapshot_position: '0' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether there is anything for this process to do; needs no lock. */
export async function findWork(db: Kysely<ServiceTables>, partition: string, process: string): Promise<LeaseState> {
  const { rows } = await sql<Omit<LeaseState, 'position'> & { position: string }>`
    select leader = ${process} or ${isDue('leased_until', LEASE_MS)} as "mayLead",
      coalesce(leader = ${process} and leased_until > ${fromNow(LEASE_MS / 2)}, false)
        and not ${isDue('leased_until', LEASE_MS)} as "isLeased",
      exists (select from telemetry_log as log where log.partition = correlation.partition and sequence > position)
        as "hasEntries",
      position
    from correlation where partition = ${partition}
  `.execute(db);
  const [row] = rows;
  return row === undefined
    ? { mayLead: false, isLeased: false, hasEntries: false, position: 0n }
    : { ...row, position: BigInt(row.position) };
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
 * Takes or renews the lease.
 *
 * @param isStarting takes the lease even from its holder, because after a restart the holder has usually exited
 * @returns the last entry whose incidents are stored; null: another process has the lease
 */
export async function takeLease(
  db: Kysely<ServiceTables>,
  partition: string,
  process: string,
  isStarting: boolean,
): Promise<bigint | null> {
  const { rows } = await sql<{ position: string }>`
    update correlation set leader = ${process}, leased_until = ${fromNow(LEASE_MS)}
    where partition = ${partition} and (leader = ${process} or ${isStarting} or ${isDue('leased_until', LEASE_MS)})
    returning position
  `.execute(db);
  const [row] = rows;
  return row === undefined ? null : BigInt(row.position);
}

export async function releaseLease(db: Kysely<ServiceTables>, partition: string, process: string): Promise<void> {
  await sql`
    update correlation set leased_until = clock_now() where partition = ${partition} and leader = ${process}
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

/** Reads the calls and changes that the last snapshot contains. */
export async function readObserved(db: Kysely<ServiceTables>, partition: string): Promise<Observed> {
  const row = await db
    .selectFrom('correlation')
    .select(['calls', 'changes'])
    .where('partition', '=', partition)
    .executeTakeFirstOrThrow();
  return { calls: row.calls ?? [], changes: row.changes ?? [] };
}
