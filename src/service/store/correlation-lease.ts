import { type Kysely, sql, type Transaction } from 'kysely';
import { fromNow, isDue } from '../../database/lease.ts';
import { toStorableJson } from './json.ts';
import type { ServiceTables } from './tables.ts';

/**
 * One process correlates at a time. Another one takes over when its lease has expired. The lease only saves work: what
 * keeps incidents right is the position in the log.
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
  readonly state: string;
}

/** Whether there is anything for this process to do; needs no lock. */
export async function findWork(
  db: Kysely<ServiceTables>,
  process: string,
): Promise<{ readonly mayLead: boolean; readonly hasEntries: boolean }> {
  const { rows } = await sql<{ mayLead: boolean; hasEntries: boolean }>`
    select leader = ${process} or ${isDue('leased_until', LEASE_MS)} as "mayLead",
      exists (select from telemetry_log where sequence > position) as "hasEntries"
    from correlation
  `.execute(db);
  return rows[0] ?? { mayLead: false, hasEntries: false };
}

/**
 * Takes or renews the lease. Needs the lock of `lockWriters`.
 *
 * @param isStarting takes it also from a process that has it: after a restart that one is mostly gone
 * @returns null: another process has it
 */
export async function takeLease(
  tx: Transaction<ServiceTables>,
  process: string,
  isStarting: boolean,
): Promise<CorrelationPosition | null> {
  const { rows } = await sql<{ position: string; snapshotPosition: string }>`
    update correlation set leader = ${process}, leased_until = ${fromNow(LEASE_MS)}
    where leader = ${process} or ${isStarting} or ${isDue('leased_until', LEASE_MS)}
    returning position, snapshot_position as "snapshotPosition"
  `.execute(tx);
  const [row] = rows;
  return row === undefined ? null : { position: BigInt(row.position), snapshotPosition: BigInt(row.snapshotPosition) };
}

export async function releaseLease(db: Kysely<ServiceTables>, process: string): Promise<void> {
  await sql`update correlation set leased_until = null where leader = ${process}`.execute(db);
}

/** An edge of the graph of calls. Its counts fade, see `Edge`. */
export interface ObservedCall {
  readonly caller: string;
  readonly callee: string;
  readonly calls: number;
  readonly failed: number;
  /** In milliseconds since 1970. */
  readonly seenAt: number;
}

/** A deployment of a service. */
export interface ObservedChange {
  readonly service: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The version, or another word for what changed; empty: not known. */
  readonly subject: string;
}

/** What people may see of a snapshot, in any order. */
export interface Observed {
  readonly calls: readonly ObservedCall[];
  /** The last ones of each service. */
  readonly changes: readonly ObservedChange[];
}

export async function readSnapshot(tx: Transaction<ServiceTables>): Promise<Snapshot | null> {
  const row = await tx.selectFrom('correlation').select(['snapshot', 'snapshot_version']).executeTakeFirstOrThrow();
  return row.snapshot === null ? null : { version: row.snapshot_version, state: row.snapshot };
}

export async function savePosition(tx: Transaction<ServiceTables>, position: bigint): Promise<void> {
  await tx
    .updateTable('correlation')
    .set({ position: String(position) })
    .execute();
}

export async function saveSnapshot(
  tx: Transaction<ServiceTables>,
  position: bigint,
  { version, state }: Snapshot,
  { calls, changes }: Observed,
): Promise<void> {
  await tx
    .updateTable('correlation')
    .set({
      snapshot: state,
      snapshot_version: version,
      snapshot_position: String(position),
      calls: toStorableJson(calls),
      changes: toStorableJson(changes),
    })
    .execute();
}

/** As of the last snapshot. */
export async function readObserved(db: Kysely<ServiceTables>): Promise<Observed> {
  const row = await db.selectFrom('correlation').select(['calls', 'changes']).executeTakeFirstOrThrow();
  return { calls: row.calls ?? [], changes: row.changes ?? [] };
}
