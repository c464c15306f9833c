import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { ObservedCall, ObservedChange } from '../../core/observed.ts';

/** See `LogEntry`. */
export interface TelemetryLogTable {
  partition: Generated<string>;
  /** In the order of the commits, in all partitions. */
  sequence: GeneratedAlways<string>;
  /** See `PreparedEntry.bytes`. */
  entry: Buffer;
  /** See `PreparedEntry.message`. */
  message: string | null;
}

/**
 * What correlation leaves out for good, in every process that replays the log:
 *
 * - `report`: what one sender reported in one entry of the log
 * - `entries`: whole entries
 * - `learnt`: what was learnt since the snapshot. With no entries since the snapshot: most of the snapshot itself
 * - `incident`: an update of an incident that could not be stored; only noted
 */
export type SetAsideKind = 'report' | 'entries' | 'learnt' | 'incident';

/** What correlation leaves out, see `SetAside`. */
export interface SetAsideTable {
  id: GeneratedAlways<string>;
  partition: Generated<string>;
  kind: SetAsideKind;
  /** First and last entry of the log. */
  first: string;
  last: string;
  report: number | null;
  cause: string;
  /** Only for `learnt`: the process that correlates has not applied it yet. */
  is_pending: boolean;
  /** The original log entry, for debugging. null: it was too large, or removed because only the newest are kept. */
  entry: Buffer | null;
  set_aside_at: Generated<Date>;
}

/** Processes that correlate, while the log has more than one partition. */
export interface CorrelatorsTable {
  process: string;
  alive_until: Date;
}

/** A row for each partition of the log: which process correlates it, and its position. */
export interface CorrelationTable {
  partition: Generated<string>;
  leader: string | null;
  leased_until: Date | null;
  /** Last entry of the log whose incidents are stored. */
  position: string;
  /** See `toSnapshotBytes`. */
  snapshot: Buffer | null;
  snapshot_version: number;
  /** Last entry of the log that the snapshot contains. */
  snapshot_position: string;
  /** The calls between services that the snapshot contains. null: there is no snapshot. */
  calls: JSONColumnType<readonly ObservedCall[]> | null;
  /** The last changes of each service that the snapshot contains. null: there is no snapshot. */
  changes: JSONColumnType<readonly ObservedChange[]> | null;
  /** Messages outside the database up to this one may be gone. */
  purged: Generated<string>;
}
