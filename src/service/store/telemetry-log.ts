import { sql, type Transaction } from 'kysely';
import type { TelemetryItem } from '../core/telemetry-item.ts';
import type { Decision } from '../correlation/grouping/decisions.ts';
import type { ServiceTables } from './tables.ts';

type Tx = Transaction<ServiceTables>;

/**
 * Everything that correlation is told, in order: telemetry and what people decided by every process, and ticks by the one
 * that correlates. The log since a snapshot gives the same incidents again.
 */
export type LogEntry =
  | { readonly kind: 'telemetry'; readonly reports: readonly Report[] }
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'tick'; readonly tick: Tick };

/** What one sender reported. */
export interface Report {
  /** Integration or key; null: it is not limited. */
  readonly sender: string | null;
  readonly items: readonly TelemetryItem[];
}

/** What the correlating process saw besides the telemetry. */
export interface Tick {
  /** Milliseconds since 1970; never goes back. */
  readonly at: number;
  /** Incidents that were closed since the last tick. */
  readonly closed: readonly { readonly number: number; readonly at: number }[];
}

export interface LogRow {
  readonly sequence: bigint;
  readonly entry: LogEntry;
}

/** @returns the sequence of the entry. Needs the lock of `lockWriters`, so that the order is that of the commits. */
export async function appendToLog(tx: Tx, entry: LogEntry): Promise<bigint> {
  const { sequence } = await tx
    .insertInto('telemetry_log')
    .values({ entry: JSON.stringify(entry) })
    .returning('sequence')
    .executeTakeFirstOrThrow();
  return BigInt(sequence);
}

/** Oldest first. */
export async function readLog(tx: Tx, after: bigint, limit: number): Promise<LogRow[]> {
  const rows = await tx
    .selectFrom('telemetry_log')
    .selectAll()
    .where('sequence', '>', String(after))
    .orderBy('sequence')
    .limit(limit)
    .execute();
  return rows.map(({ sequence, entry }) => ({ sequence: BigInt(sequence), entry: JSON.parse(entry) as LogEntry }));
}

export async function trimLog(tx: Tx, upTo: bigint): Promise<void> {
  await sql`delete from telemetry_log where sequence <= ${String(upTo)}::bigint`.execute(tx);
}
