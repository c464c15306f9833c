import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { MuteTarget } from '../../../contract/mute.ts';
import type {
  Activity,
  Change,
  Correlation,
  FailingCall,
  Link,
  RootChange,
  Severity,
  SignalType,
  TimelineEntry,
} from '../../../contract/resources.ts';
import type { Repeat } from '../../../incident/repetition.ts';
import type { ByHand, CountedSignals, Found, Incident } from '../../core/incident.ts';
import type { Taught } from '../../core/lesson.ts';
import type { MutePatterns } from '../../core/mute-labels.ts';
import type { SignalDetail } from '../../core/signal.ts';

export interface IncidentsTable {
  id: string;
  number: Generated<string>;
  system: Generated<string>;
  /** null: its number. */
  ordinal: string | null;
  title: string;
  severity: Severity;
  root_service: string;
  services: string[];
  /** Title and services in lower case, one per line. */
  search_text: GeneratedAlways<string>;
  signal_counts: JSONColumnType<CountedSignals>;
  correlation: JSONColumnType<Correlation>;
  opened_at: Date;
  last_signal_at: Date;
  signals_ended_at: Date | null;
  updated_at: Date;
  acknowledged_at: Generated<Date | null>;
  acknowledged_by: Generated<string | null>;
  /** This and other columns that end in `_id` beside who did something: see `Actor`. */
  acknowledged_by_id: Generated<string | null>;
  closed_at: Generated<Date | null>;
  resolution_note: Generated<string | null>;
  resolved_by: Generated<string | null>;
  resolved_by_id: Generated<string | null>;
  previous_incident_id: string | null;
  similar_numbers: Generated<readonly string[]>;
  activity: Generated<Activity>;
  active_since: Generated<Date>;
  impact: ColumnType<readonly FailingCall[], string | undefined, string>;
  root_changes: ColumnType<readonly RootChange[], string | undefined, string>;
  merged_into: Generated<string | null>;
  /** `team:payments` and so on, see `labelsOf`. */
  labels: Generated<string[]>;
  links: ColumnType<readonly Link[], string | undefined, string>;
  trace_id: string | null;
  changes: ColumnType<readonly Change[], string | undefined, string>;
  integrations: ColumnType<Incident['integrations'], string | undefined, string>;
  sole_integration: string | null;
  /** Occurrences of its signals that `incident_failures` has counted. */
  failures: Generated<string>;
  recurrences: Generated<number>;
  declared_by: Generated<string | null>;
  declared_by_id: Generated<string | null>;
  /** How often its signals were seen, by service, as `incident_service_failures` has counted. null: opened before that. */
  service_totals: ColumnType<Readonly<Record<string, number>> | null, never, string | null>;
  /** What people set, see `ByHand`. The columns above have it; `found` has what correlation finds. */
  by_hand: ColumnType<ByHand, string | undefined, string>;
  found: ColumnType<Found, string | undefined, string>;
  /** What closing it as "not a problem" teaches, and what setting another root does. */
  teachable: ColumnType<readonly Taught[], string | undefined, string>;
  /** It was closed as "not a problem". */
  is_no_problem: Generated<boolean>;
}

export interface LessonsTable {
  id: string;
  incident_id: string;
  taught: ColumnType<Taught, string, never>;
  created_by: string | null;
  created_by_id: string | null;
  created_at: Date;
  until: Date;
  forgotten_at: Generated<Date | null>;
}

/** Without the opening. */
export interface TimelineEntriesTable {
  incident_id: string;
  sequence: GeneratedAlways<string>;
  at: Date;
  event: TimelineEntry['event'];
  author: string | null;
  author_id: string | null;
  text: string | null;
}

export interface IncidentFailuresTable {
  incident_id: string;
  minute: Date;
  failures: string;
}

export interface IncidentServiceFailuresTable {
  incident_id: string;
  service: string;
  minute: Date;
  signals: string;
}

/** Messages about incidents in chats. */
export interface IncidentCardsTable {
  incident_id: string;
  place: string;
  url: string;
}

/** One for each target and value. A row that has ended is removed as soon as its end was announced. */
export interface MutesTable {
  id: string;
  target: MuteTarget;
  value: string;
  until: Date;
  reason: string | null;
  created_by: string;
  created_by_id: string | null;
  created_at: Date;
  /** Only the target `labels` has them, see `MutePatterns`. */
  patterns: MutePatterns | null;
}

/** Mutes that start later. One that repeats stays, with its next time. */
export interface MutePlansTable {
  id: string;
  target: MuteTarget;
  value: string;
  starts_at: Date;
  until: Date;
  repeat: Repeat | null;
  time_zone: string;
  /** The first time of one that repeats; null: this is the first one. */
  first_starts_at: Date | null;
  first_until: Date | null;
  reason: string | null;
  created_by: string;
  created_by_id: string | null;
  created_at: Date;
}

/** Maintained by a trigger on `incidents`. */
export interface IncidentCountsTable {
  /** One of the services involved; empty for all. */
  service: string;
  closed: boolean;
  severity: Severity;
  acknowledged: boolean;
  incidents: string;
}

export interface SignalsTable {
  id: string;
  observed_at: Date;
  received_at: Date;
  last_seen_at: Date;
  type: SignalType;
  service: string;
  summary: string;
  severity: Severity;
  fingerprint: string;
  occurrences: string;
  incident_id: string | null;
  trace_id: string | null;
  span_id: string | null;
  attributes: JSONColumnType<Record<string, unknown>>;
  source: JSONColumnType<Record<string, unknown>>;
  detail: JSONColumnType<SignalDetail>;
  ended_at: Date | null;
  /** Integration or key that sent it, see `senderOf`; null: correlation found it. */
  sender: string | null;
  /** `team:payments` and so on, see `labelsOf`; null: none. */
  labels: string[] | null;
  links: JSONColumnType<Link[]>;
  /** The incident that gets it back if it is split; null: it was never in a merged incident. */
  split_to: string | null;
  /** null: the default one. */
  system: string | null;
}
