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
import type { ObservedCall, ObservedChange } from '../../core/observed.ts';
import type { PostedAlert } from '../../core/posted-alert.ts';
import type { SignalDetail } from '../../core/signal.ts';
import type {
  ApiKeyEventsTable,
  ApiKeysTable,
  IdempotencyKeysTable,
  IntegrationChangesTable,
  SessionsTable,
  SignInEventsTable,
  SignInLinksTable,
} from './access-columns.ts';
import type {
  AskedStatesTable,
  EventSequenceTable,
  EventsTable,
  IntegrationsTable,
  MonitorLookTable,
  MonitorsTable,
  RefusedPayloadsTable,
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
} from './event-columns.ts';
import type {
  PeopleTable,
  ScheduleCalendarsTable,
  ScheduleChangesTable,
  ScheduleFeedsTable,
  ScheduleGapsTable,
  ScheduleLayersTable,
  ScheduleOverridesTable,
  ScheduleSpansTable,
  ScheduleSwapsTable,
  SchedulesTable,
} from './on-call-columns.ts';
import type {
  PageAttemptsTable,
  PagesTable,
  PoliciesTable,
  WakeHistoryTable,
  WakingKeysTable,
  WaysTable,
} from './waking-columns.ts';

/** The tables of schema `tocsin_service`, with the types that `pg` uses: a bigint is text. */
export interface ServiceTables {
  idempotency_keys: IdempotencyKeysTable;
  api_keys: ApiKeysTable;
  api_key_events: ApiKeyEventsTable;
  sessions: SessionsTable;
  sign_in_events: SignInEventsTable;
  integration_changes: IntegrationChangesTable;
  sign_in_links: SignInLinksTable;
  incidents: IncidentsTable;
  incident_counts: IncidentCountsTable;
  timeline_entries: TimelineEntriesTable;
  incident_failures: IncidentFailuresTable;
  incident_service_failures: IncidentServiceFailuresTable;
  incident_cards: IncidentCardsTable;
  mutes: MutesTable;
  mute_plans: MutePlansTable;
  lessons: LessonsTable;
  signals: SignalsTable;
  telemetry_log: TelemetryLogTable;
  correlation: CorrelationTable;
  correlators: CorrelatorsTable;
  set_aside: SetAsideTable;
  integrations: IntegrationsTable;
  monitors: MonitorsTable;
  monitor_look: MonitorLookTable;
  refused_payloads: RefusedPayloadsTable;
  asked_states: AskedStatesTable;
  posted_alerts: PostedAlertsTable;
  events: EventsTable;
  event_sequence: EventSequenceTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_attempts: WebhookAttemptsTable;
  people: PeopleTable;
  schedules: SchedulesTable;
  schedule_layers: ScheduleLayersTable;
  schedule_overrides: ScheduleOverridesTable;
  schedule_swaps: ScheduleSwapsTable;
  schedule_calendars: ScheduleCalendarsTable;
  schedule_spans: ScheduleSpansTable;
  schedule_feeds: ScheduleFeedsTable;
  schedule_gaps: ScheduleGapsTable;
  schedule_changes: ScheduleChangesTable;
  policies: PoliciesTable;
  ways: WaysTable;
  pages: PagesTable;
  page_attempts: PageAttemptsTable;
  waking_keys: WakingKeysTable;
  wake_history: WakeHistoryTable;
}

export const SERVICE_SCHEMA = 'tocsin_service';

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
  created_at: Date;
  until: Date;
  forgotten_at: Generated<Date | null>;
}

/** Alerts that Prometheus posts. Those whose end is past are removed. */
interface PostedAlertsTable {
  sender: string;
  fingerprint: string;
  alert: JSONColumnType<Pick<PostedAlert, 'labels' | 'annotations' | 'generatorUrl'>>;
  starts_at: Date;
  ends_at: Date;
  updated_at: Date;
}

/** Without the opening. */
interface TimelineEntriesTable {
  incident_id: string;
  sequence: GeneratedAlways<string>;
  at: Date;
  event: TimelineEntry['event'];
  author: string | null;
  author_id: string | null;
  text: string | null;
}

interface IncidentFailuresTable {
  incident_id: string;
  minute: Date;
  failures: string;
}

interface IncidentServiceFailuresTable {
  incident_id: string;
  service: string;
  minute: Date;
  signals: string;
}

/** Messages about incidents in chats. */
interface IncidentCardsTable {
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
interface IncidentCountsTable {
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

/** See `LogEntry`. */
interface TelemetryLogTable {
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
interface SetAsideTable {
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
interface CorrelatorsTable {
  process: string;
  alive_until: Date;
}

/** A row for each partition of the log: which process correlates it, and its position. */
interface CorrelationTable {
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
