import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { SlackGroup } from '../../../contract/on-call.ts';
import type { ScheduleChangeType } from '../../core/schedule-change.ts';
import type { GapReason } from '../../core/turns/gaps.ts';
import type { Rotation } from '../../core/turns/schedule.ts';

/** See `KnownPerson`. */
export interface PeopleTable {
  id: string;
  name: string;
  email: string | null;
  slack_user_id: string | null;
  openid_subject: string | null;
  time_zone: string | null;
  /** Times of day, such as `22:00`. Both are null, or none is. */
  quiet_from: string | null;
  quiet_until: string | null;
  created_at: Date;
  gone_at: Date | null;
  /** It is another id of that person; null: it is a person. */
  merged_into: string | null;
}

export interface SchedulesTable {
  id: string;
  /** Unique among those that are not gone, in any case of letters. */
  name: string;
  time_zone: string;
  /** Counts the changes. */
  revision: Generated<number>;
  /** See `SlackGroup`; null: none goes with it. */
  slack_group: ColumnType<SlackGroup | null, never, string | null>;
  created_at: Date;
  gone_at: Generated<Date | null>;
}

/** See `Layer`. */
export interface ScheduleLayersTable {
  id: string;
  schedule_id: string;
  /** The highest layer has the lowest. */
  position: number;
  rotation: JSONColumnType<Rotation>;
  valid_from: Date;
  valid_until: Date | null;
}

/** See `Override`. */
export interface ScheduleOverridesTable {
  id: string;
  schedule_id: string;
  starts_at: Date;
  ends_at: Date;
  person_id: string | null;
  replaces: string | null;
  reason: string | null;
  created_by: string;
  created_by_id: string | null;
  created_at: Date;
}

/** See `CalendarStore`. Times are of the service's clock. */
export interface ScheduleCalendarsTable {
  schedule_id: string;
  /** A secret: who knows it may read the calendar. */
  url: string;
  etag: string | null;
  /** The last good copy; null: there was none. */
  body: string | null;
  /** When it was last the same at the address; null: never. */
  read_at: Date | null;
  expanded_at: Date | null;
  /** Why the last reading failed; null: it did not. */
  fault: string | null;
  /** E-mail addresses of people whom the service does not know. */
  unknown: string[];
  unread: number;
}

/** See `CalendarSpan`. */
export interface ScheduleSpansTable {
  schedule_id: string;
  starts_at: Date;
  ends_at: Date;
  person_id: string;
}

/** An address at which a schedule is read as a calendar. */
export interface ScheduleFeedsTable {
  id: string;
  schedule_id: string;
  token_hash: Buffer;
  created_by: string;
  created_by_id: string | null;
  created_at: Date;
}

/** See `ToldGap`. */
export interface ScheduleGapsTable {
  schedule_id: string;
  starts_at: Date;
  ends_at: Date;
  person_id: string | null;
  because: GapReason;
  elsewhere: string | null;
  is_warned: boolean;
}

export interface ScheduleSwapsTable {
  id: string;
  schedule_id: string;
  starts_at: Date;
  ends_at: Date;
  asker: string;
  /** Whom it was offered to, or who took it; null: anybody. */
  taker: string | null;
  state: 'asked' | 'taken' | 'declined' | 'withdrawn';
  /** null: anybody. */
  offered_to: string | null;
  /** Of whoever took it; null: nobody did. */
  override_id: Generated<string | null>;
  answered_at: Generated<Date | null>;
  created_at: Date;
}

/** See `ScheduleChange`. */
export interface ScheduleChangesTable {
  id: GeneratedAlways<string>;
  schedule_id: string;
  type: ScheduleChangeType;
  actor: string;
  actor_id: string | null;
  text: string | null;
  occurred_at: Date;
}
