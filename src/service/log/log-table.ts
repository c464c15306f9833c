import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { LogUnavailableError } from '../core/errors.ts';
import type { LessonDecision } from '../core/lesson.ts';
import type { Decision } from '../engine/grouping/decisions.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { WRITERS_LOCKED } from '../store/shared/signal-state.ts';
import type { LogEntry, Tick } from './log-entry.ts';
import { encodeEntry } from './log-format.ts';
import type { LogRow, PreparedEntry } from './telemetry-log.ts';

type Tx = Transaction<ServiceTables>;

/** An entry as its row has it. */
type StoredRow = LogRow & Pick<PreparedEntry, 'message'>;

/** Entries that are read at a time. */
const MAX_ENTRIES = 500;
/** Bytes that are read at a time; the last entry may exceed the limit. */
export const MAX_BYTES = 8 * 1_048_576;

const LAST = 2n ** 63n - 1n;

/** An entry whose bytes are in its row. */
export function inTable(partition: string, entry: LogEntry): PreparedEntry {
  return { partition, bytes: encodeEntry(entry), message: null };
}

/**
 * Requires the lock of `lockWriters`, so that sequence numbers have the order of the commits.
 *
 * @param entries one or more, in order
 * @param changes statements on other tables, run as part of the same one: each costs the sender a round trip
 * @throws {LogUnavailableError} a message of an entry may be gone, or there is no such partition
 */
export async function appendEntries(
  tx: Tx,
  entries: readonly PreparedEntry[],
  changes: readonly RawBuilder<unknown>[] = [],
): Promise<void> {
  const named = changes.map((change, index) => sql`${sql.ref(`change_${index}`)} as (${change})`);
  const rows = entries.map(
    ({ partition, bytes, message }) => sql`(${partition}, ${bytes}::bytea, ${message?.toString() ?? null}::bigint)`,
  );
  const { numAffectedRows } = await sql`
    ${named.length === 0 ? sql`` : sql`with ${sql.join(named)}`}
    insert into telemetry_log (partition, entry, message)
    select given.* from (values ${sql.join(rows)}) as given (partition, entry, message)
    where message is null
      or message > (select purged from correlation where correlation.partition = given.partition)
  `.execute(tx);
  if (numAffectedRows !== BigInt(entries.length)) {
    throw new LogUnavailableError('this process was stopped for too long to append what it had prepared');
  }
}

/** Requires the lock of `lockWriters`. */
export async function appendDecision(tx: Tx, partition: string, decision: Decision | LessonDecision): Promise<void> {
  await appendEntries(tx, [inTable(partition, { kind: 'decision', decision })]);
}

/**
 * Appends a tick in one statement, which is its own transaction, so that other writers hardly wait. The tick gets its
 * sequence number once the lock is taken.
 */
export async function appendTick(db: Kysely<ServiceTables>, partition: string, tick: Tick): Promise<LogRow> {
  const bytes = encodeEntry({ kind: 'tick', tick });
  const { rows } = await sql<{ sequence: string }>`
    with locked as materialized (${WRITERS_LOCKED})
    insert into telemetry_log (partition, entry) select ${partition}, ${bytes}::bytea from locked
    returning sequence
  `.execute(db);
  return { sequence: BigInt(rows[0]?.sequence ?? 0), bytes };
}

/** See `TelemetryLog.readAfter`. The limit of bytes counts what is in the table. */
export async function selectRows(
  db: Kysely<ServiceTables>,
  partition: string,
  after: bigint,
  upTo: bigint = LAST,
): Promise<{ readonly rows: readonly StoredRow[]; readonly isAll: boolean }> {
  const { rows } = await sql<{ sequence: string; entry: Buffer; message: string | null; isAll: boolean }>`
    select sequence, entry, message, entries < ${MAX_ENTRIES} and bytes < ${MAX_BYTES} as "isAll"
    from (
      select sequence, entry, message, count(*) over (order by sequence) as entries,
        sum(octet_length(entry)) over (order by sequence) as bytes,
        sum(octet_length(entry)) over (order by sequence) - octet_length(entry) as before
      from (
        select sequence, entry, message from telemetry_log
        where partition = ${partition} and sequence > ${String(after)}::bigint and sequence <= ${String(upTo)}::bigint
        order by sequence limit ${MAX_ENTRIES}
      ) as next
    ) as measured
    where before < ${MAX_BYTES}
    order by sequence
  `.execute(db);
  return {
    rows: rows.map(({ sequence, entry, message }) => ({
      sequence: BigInt(sequence),
      bytes: entry,
      message: message === null ? null : BigInt(message),
    })),
    isAll: rows.at(-1)?.isAll ?? true,
  };
}

/** @returns the last of their messages; null: they had none */
export async function deleteRows(db: Kysely<ServiceTables>, partition: string, upTo: bigint): Promise<bigint | null> {
  const { rows } = await sql<{ last: string | null }>`
    with gone as (
      delete from telemetry_log where partition = ${partition} and sequence <= ${String(upTo)}::bigint returning message
    )
    select max(message) as last from gone
  `.execute(db);
  const last = rows[0]?.last ?? null;
  return last === null ? null : BigInt(last);
}
