import type { Kysely } from 'kysely';
import type { ServiceTables } from '../store/schema/tables.ts';
import type { LogEntry } from './log-entry.ts';

export type TelemetryEntry = Extract<LogEntry, { kind: 'telemetry' }>;

/** An entry that is ready to be appended by a transaction, see `appendEntries`. */
export interface PreparedEntry {
  readonly partition: string;
  /** See `encodeEntry`. With a `message`, it says where the bytes are. */
  readonly bytes: Buffer;
  /** First of the messages outside the database that have the bytes. null: there are none. */
  readonly message: bigint | null;
}

export interface LogRow {
  /** Grows with each entry. Numbers may be missing: all partitions share them, and a transaction may fail. */
  readonly sequence: bigint;
  /** See `decodeEntry`. Empty: they are lost. */
  readonly bytes: Buffer;
}

/**
 * The input of correlation, see `LogEntry`, in partitions that are read on their own. The order of a partition is the order of
 * the commits, because its entries are rows of `telemetry_log`. The bytes of telemetry may be kept elsewhere.
 */
export interface TelemetryLog extends AsyncDisposable {
  /**
   * Stores the bytes of telemetry, or prepares them to be stored with its row. An entry that no transaction appends is never
   * read.
   *
   * @throws {LogUnavailableError}
   */
  prepare(partition: string, entry: TelemetryEntry): Promise<PreparedEntry>;
  /**
   * Reads the next entries, oldest first. Needs no lock: an entry is visible only after all earlier ones are committed.
   *
   * @param upTo last entry that may be read; absent: the last one
   * @returns `isAll`: there were no more entries at the time
   * @throws {LogUnavailableError}
   */
  readAfter(
    db: Kysely<ServiceTables>,
    partition: string,
    after: bigint,
    upTo?: bigint,
  ): Promise<{ readonly rows: readonly LogRow[]; readonly isAll: boolean }>;
  /** Deletes entries of the partition. */
  trim(db: Kysely<ServiceTables>, partition: string, upTo: bigint): Promise<void>;
  /** @throws {LogUnavailableError} what it needs besides the database cannot be used now */
  check(): Promise<void>;
}
