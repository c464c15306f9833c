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
  PostedAlertsTable,
  RefusedPayloadsTable,
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookEndpointsTable,
} from './event-columns.ts';
import type {
  IncidentCardsTable,
  IncidentCountsTable,
  IncidentFailuresTable,
  IncidentServiceFailuresTable,
  IncidentsTable,
  LessonsTable,
  MutePlansTable,
  MutesTable,
  SignalsTable,
  TimelineEntriesTable,
} from './incident-columns.ts';
import type { CorrelationTable, CorrelatorsTable, SetAsideTable, TelemetryLogTable } from './log-columns.ts';
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
