import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { IncidentEventType, IntegrationEventType } from '../../contract/events.ts';
import type { Role } from '../../contract/requests.ts';
import type {
  Activity,
  Change,
  Correlation,
  FailingCall,
  Link,
  MuteTarget,
  RootChange,
  Severity,
  SignalCounts,
  SignalType,
  TimelineEntry,
} from '../../contract/resources.ts';
import type { Scope } from '../../contract/routes.ts';
import type { Incident } from '../core/incident.ts';
import type { IncidentSnapshot } from '../core/incident-event.ts';
import type { IntegrationState } from '../core/integration-event.ts';
import type { KeyEvent } from '../core/key-event.ts';
import type { SignInMethod } from '../core/session.ts';
import type { SignInEvent } from '../core/sign-in-event.ts';
import type { SignalDetail } from '../core/signal.ts';
import type { ObservedCall, ObservedChange } from './correlation-lease.ts';

/** The tables of schema `tocsin_service`, with the types that `pg` uses: a bigint is text. */
export interface ServiceTables {
  idempotency_keys: IdempotencyKeysTable;
  api_keys: ApiKeysTable;
  api_key_events: ApiKeyEventsTable;
  sessions: SessionsTable;
  sign_in_events: SignInEventsTable;
  sign_in_links: SignInLinksTable;
  incidents: IncidentsTable;
  incident_counts: IncidentCountsTable;
  timeline_entries: TimelineEntriesTable;
  incident_failures: IncidentFailuresTable;
  mutes: MutesTable;
  signals: SignalsTable;
  telemetry_log: TelemetryLogTable;
  correlation: CorrelationTable;
  integrations: IntegrationsTable;
  refused_payloads: RefusedPayloadsTable;
  events: EventsTable;
  event_sequence: EventSequenceTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_attempts: WebhookAttemptsTable;
}

export const SERVICE_SCHEMA = 'tocsin_service';

interface ApiKeysTable {
  id: string;
  /** The part of the raw key that identifies the row. */
  lookup: string;
  name: string;
  scope: Scope;
  salt: Buffer;
  hash: Buffer;
  created_at: Date;
  last_used_at: Generated<Date | null>;
  expires_at: Generated<Date | null>;
  revoked_at: Generated<Date | null>;
  /** The integration that owns an ingest key. */
  integration_id: Generated<string | null>;
}

interface ApiKeyEventsTable {
  id: GeneratedAlways<string>;
  key_id: string;
  type: KeyEvent['type'];
  /** The id of the key that the actor signed in with, or one of `KEY_ACTORS`. */
  actor: string;
  successor_id: string | null;
  occurred_at: Date;
}

/** See `Session`. */
export interface SessionsTable {
  id: string;
  token_hash: Buffer;
  identity: string;
  user_name: string;
  person_name: string;
  slack_user_id: string | null;
  role: Role;
  method: SignInMethod;
  api_key_id: string | null;
  address: string;
  user_agent: string;
  created_at: Date;
  last_seen_at: Date;
}

/** See `SignInEvent`. */
interface SignInEventsTable {
  id: GeneratedAlways<string>;
  type: SignInEvent['type'];
  actor: string;
  person_name: string;
  role: Role;
  method: SignInMethod;
  address: string;
  user_agent: string;
  occurred_at: Date;
}

/** See `SignInLink`. A link that was used is deleted. */
interface SignInLinksTable {
  token_hash: Buffer;
  identity: string;
  user_name: string;
  person_name: string;
  slack_user_id: string | null;
  role: Role;
  /** The key that made it; null: it was made on the machine of the service. */
  api_key_id: string | null;
  return_to: string | null;
  created_at: Date;
  expires_at: Date;
}

export interface IncidentsTable {
  id: string;
  number: Generated<string>;
  title: string;
  severity: Severity;
  root_service: string;
  services: string[];
  /** Title and services in lower case, one per line. */
  search_text: GeneratedAlways<string>;
  signal_counts: JSONColumnType<SignalCounts>;
  correlation: JSONColumnType<Correlation>;
  opened_at: Date;
  last_signal_at: Date;
  signals_ended_at: Date | null;
  updated_at: Date;
  acknowledged_at: Generated<Date | null>;
  acknowledged_by: Generated<string | null>;
  closed_at: Generated<Date | null>;
  resolution_note: Generated<string | null>;
  resolved_by: Generated<string | null>;
  previous_incident_id: string | null;
  similar_numbers: Generated<readonly string[]>;
  activity: Generated<Activity>;
  active_since: Generated<Date>;
  impact: ColumnType<readonly FailingCall[], string | undefined, string>;
  root_changes: ColumnType<readonly RootChange[], string | undefined, string>;
  merged_into: Generated<string | null>;
  links: ColumnType<readonly Link[], string | undefined, string>;
  trace_id: string | null;
  changes: ColumnType<readonly Change[], string | undefined, string>;
  integrations: ColumnType<Incident['integrations'], string | undefined, string>;
  sole_integration: string | null;
  /** Occurrences of its signals that `incident_failures` has counted. */
  failures: Generated<string>;
}

/** Without the opening. */
interface TimelineEntriesTable {
  incident_id: string;
  sequence: GeneratedAlways<string>;
  at: Date;
  event: TimelineEntry['event'];
  author: string | null;
  text: string | null;
}

interface IncidentFailuresTable {
  incident_id: string;
  minute: Date;
  failures: string;
}

/** One for each target and value. A row that has ended is removed as soon as its end was told. */
export interface MutesTable {
  id: string;
  target: MuteTarget;
  value: string;
  until: Date;
  reason: string | null;
  created_by: string;
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
  links: JSONColumnType<Link[]>;
  /** The incident that gets it back if it is split; null: it was never in a merged incident. */
  split_to: string | null;
}

/** See `LogEntry`. */
interface TelemetryLogTable {
  sequence: GeneratedAlways<string>;
  /** JSON as text: it is only read as a whole. */
  entry: string;
}

/** One row: which process correlates, and how far it is. */
interface CorrelationTable {
  leader: string | null;
  leased_until: Date | null;
  /** Last entry of the log whose incidents are stored. */
  position: string;
  snapshot: string | null;
  snapshot_version: number;
  /** Last entry of the log that the snapshot contains. */
  snapshot_position: string;
  /** The calls between services that the snapshot contains. null: there is no snapshot. */
  calls: JSONColumnType<readonly ObservedCall[]> | null;
  /** The last change of each service that the snapshot contains. null: there is no snapshot. */
  changes: JSONColumnType<readonly ObservedChange[]> | null;
}

export interface IntegrationsTable {
  id: string;
  type: string;
  name: string | null;
  config: JSONColumnType<Record<string, unknown>>;
  /** Digest of the natural key; null when there is none. */
  natural_key: string | null;
  created_at: Date;
  /** Signing secret of a webhook: `whsec_` and base64. null for other types. */
  secret: Generated<string | null>;
  /** Also signs until `previous_secret_until`, by the clock of the database. */
  previous_secret: Generated<string | null>;
  previous_secret_until: Generated<Date | null>;
  last_used_at: Generated<Date | null>;
  /** null: the last use succeeded. */
  last_error: Generated<string | null>;
  disabled_at: Generated<Date | null>;
}

/** See `RefusedPayload`. */
interface RefusedPayloadsTable {
  id: GeneratedAlways<string>;
  integration_id: string;
  refused_at: Date;
  fault: string;
  payload: string | null;
}

interface IdempotencyKeysTable {
  api_key_id: string;
  idempotency_key: string;
  claim: string;
  request_digest: string;
  claimed_at: Date;
  /** null, like the two columns below, while the first request is running. */
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
}

interface EventsTable {
  sequence: string;
  id: string;
  type: IncidentEventType | IntegrationEventType;
  occurred_at: Date;
  /** null: it is about an integration. */
  incident: JSONColumnType<IncidentSnapshot> | null;
  /** null: it is about an incident. */
  integration: JSONColumnType<IntegrationState> | null;
}

/** One row. Writers of events lock it until the end of their transaction. */
interface EventSequenceTable {
  last: string;
}

/** State of a webhook's delivery. */
interface WebhookEndpointsTable {
  integration_id: string;
  /** Sequence of the last event that was queued. */
  position: string;
  /** End of the lease of a process, or of a pause that the receiver asked for. */
  not_before: Date;
  /** Time of the first failure after the last success; null: the last attempt succeeded, or there was none. */
  failing_since: Generated<Date | null>;
  /** Attempts in a row that found the receiver unavailable. */
  failures: Generated<number>;
  /** Time of the last success. */
  delivered_at: Generated<Date | null>;
  /** Why it was disabled; null: it is enabled. */
  stopped_because: Generated<'failing' | 'gone' | null>;
}

/** An event that is queued for an endpoint. */
interface WebhookDeliveriesTable {
  sequence: string;
  integration_id: string;
  /** Id of the incident or integration that the event is about. */
  subject_id: string;
  queued_at: Date;
  /** Number of failed attempts. */
  attempts: Generated<number>;
  /** null: held back by an earlier delivery of the same subject, or given up. */
  next_attempt_at: Date | null;
  /** When the last attempt failed; null: it is still to be delivered. */
  gave_up_at: Generated<Date | null>;
}

/** The log of a webhook. */
interface WebhookAttemptsTable {
  id: string;
  integration_id: string;
  /** null: it was a test. */
  sequence: string | null;
  event_id: string;
  event_type: string;
  attempt: number;
  attempted_at: Date;
  duration_ms: number;
  http_status: number | null;
  error: string | null;
  response: string | null;
  next_attempt_at: Date | null;
}
