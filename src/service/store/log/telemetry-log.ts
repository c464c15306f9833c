import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { ServiceTables } from '../schema/tables.ts';
import { WRITERS_LOCKED } from '../shared/signal-state.ts';
import type { LogEntry, Tick } from './log-entry.ts';
import { encodeEntry } from './log-format.ts';

type Tx = Transaction<ServiceTables>;

export interface LogRow {
  readonly sequence: bigint;
  /** See `decodeEntry`. */
  readonly bytes: Buffer;
}

/** Entries that are read at a time. */
const MAX_ENTRIES = 500;
/** Bytes that are read at a time; the last entry may exceed the limit. */
const MAX_BYTES = 8 * 1_048_576;

const LAST = 2n ** 63n - 1n;

/**
 * Requires the lock of `lockWriters`, so that sequence numbers have the order of the commits.
 *
 * @param changes statements on other tables, run as part of the same one: each costs the sender a round trip
 */
export async function appendToLog(
  tx: Tx,
  entry: LogEntry,
  changes: readonly RawBuilder<unknown>[] = [],
): Promise<void> {
  const named = changes.map((change, index) => sql`${sql.ref(`change_${index}`)} as (${change})`);
  await sql`
    ${named.length === 0 ? sql`` : sql`with ${sql.join(named)}`}
    insert into telemetry_log (entry) values (${encodeEntry(entry)}::bytea)
  `.execute(tx);
}

/**
 * Appends a tick in one statement, which is its own transaction, so that other writers hardly wait. The tick gets its
 * sequence number once the lock is taken.
 */
export async function appendTick(db: Kysely<ServiceTables>, tick: Tick): Promise<LogRow> {
  const bytes = encodeEntry({ kind: 'tick', tick });
  const { rows } = await sql<{ sequence: string }>`
    with locked as materialized (${WRITERS_LOCKED})
    insert into telemetry_log (entry) select ${bytes}::bytea from locked
    returning sequence
  `.execute(db);
  return { sequence: BigInt(rows[0]?.sequence ?? 0), bytes };
}

/**
 * Reads the next entries, oldest first. Needs no lock: an entry is visible only after all earlier ones are committed.
 *
 * @param upTo last entry that may be read
 * @returns `isAll`: there were no more entries at the time
 */
export async function readLog(
  db: Kysely<ServiceTables>,
  after: bigint,
  upTo: bigint = LAST,
): Promise<{ readonly rows: readonly LogRow[]; readonly isAll: boolean }> {
  const { rows } = await sql<{ sequence: string; entry: Buffer; isAll: boolean }>`
    select sequence, entry, entries < ${MAX_ENTRIES} and bytes < ${MAX_BYTES} as "isAll"
    from (
      select sequence, entry, count(*) over (order by sequence) as entries,
        sum(octet_length(entry)) over (order by sequence) as bytes,
        sum(octet_length(entry)) over (order by sequence) - octet_length(entry) as before
      from (
        select sequence, entry from telemetry_log
        where sequence > ${String(after)}::bigint and sequence <= ${String(upTo)}::bigint
        order by sequence limit ${MAX_ENTRIES}
      ) as next
    ) as measured
    where before < ${MAX_BYTES}
    order by sequence
  `.execute(db);
  return {
    rows: rows.map(({ sequence, entry }) => ({ sequence: BigInt(sequence), bytes: entry })),
    isAll: rows.at(-1)?.isAll ?? true,
  };
}

export async function trimLog(db: Kysely<ServiceTables>, upTo: bigint): Promise<void> {
  await sql`delete from telemetry_log where sequence <= ${String(upTo)}::bigint`.execute(db);
}
