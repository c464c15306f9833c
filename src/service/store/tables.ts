import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { IncidentEventType } from '../../contract/events.ts';
import type { Correlation, Severity, SignalType } from '../../contract/resources.ts';
import type { Scope } from '../../contract/routes.ts';
import type { IncidentSnapshot } from '../core/incident-snapshot.ts';
import type { KeyEvent } from '../core/key-event.ts';
import type { SignalDetail } from '../core/signal.ts';

/** The tables of schema `tocsin_service`, as `pg` gives and takes their values: a bigint comes as text. */
export interface ServiceTables {
  idempotency_keys: IdempotencyKeysTable;
  api_keys: ApiKeysTable;
  api_key_events: ApiKeyEventsTable;
  incidents: IncidentsTable;
  incident_counts: IncidentCountsTable;
  signals: SignalsTable;
  service_calls: ServiceCallsTable;
  integrations: IntegrationsTable;
  events: EventsTable;
  event_sequence: EventSequenceTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_deliveries: WebhookDeliveriesTable;
}

export const SERVICE_SCHEMA = 'tocsin_service';

interface ApiKeysTable {
  id: string;
  /** The part of the raw key that finds its row. */
  lookup: string;
  name: string;
  scope: Scope;
  salt: Buffer;
  hash: Buffer;
  created_at: Date;
  last_used_at: Generated<Date | null>;
  expires_at: Generated<Date | null>;
  revoked_at: Generated<Date | null>;
  /** Of an ingest key that was made with an integration, and ends with it. */
  integration_id: Generated<string | null>;
}

interface ApiKeyEventsTable {
  id: GeneratedAlways<string>;
  key_id: string;
  type: KeyEvent['type'];
  /** The id of the key that whoever did it had signed in with, or one of `KEY_ACTORS`. */
  actor: string;
  successor_id: string | null;
  occurred_at: Date;
}

export interface IncidentsTable {
  id: string;
  number: GeneratedAlways<string>;
  title: string;
  severity: Severity;
  root_service: string;
  services: string[];
  /** Title and services in lower case, a line each. */
  search_text: GeneratedAlways<string>;
  trace_signals: number;
  metric_signals: number;
  log_signals: number;
  correlation: JSONColumnType<Correlation>;
  /** Signals of this open incident were seen again since it was explained. */
  stale: Generated<boolean>;
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
}

/** Kept by a trigger on `incidents`. */
interface IncidentCountsTable {
  /** One of the services involved; empty: whichever. */
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
}

interface ServiceCallsTable {
  from_service: string;
  to_service: string;
  calls: string;
  errors: string;
  last_seen_at: Date;
}

interface IntegrationsTable {
  id: string;
  type: string;
  name: string | null;
  config: JSONColumnType<Record<string, unknown>>;
  /** Digest of what makes it the same integration; null: nothing does. */
  natural_key: string | null;
  created_at: Date;
  /** Signs what a webhook sends: `whsec_` and base64. null for every other type. */
  secret: Generated<string | null>;
  last_used_at: Generated<Date | null>;
  /** null: the last use went well. */
  last_error: Generated<string | null>;
  disabled_at: Generated<Date | null>;
}

interface IdempotencyKeysTable {
  api_key_id: string;
  idempotency_key: string;
  claim: string;
  request_digest: string;
  claimed_at: Date;
  /** null, with the two below, while the first request is under way. */
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
}

interface EventsTable {
  sequence: string;
  id: string;
  type: IncidentEventType;
  occurred_at: Date;
  incident: JSONColumnType<IncidentSnapshot>;
}

/** One row. Whoever writes events holds it until the end of the transaction. */
interface EventSequenceTable {
  last: string;
}

/** What of a webhook integration changes as it is served. */
interface WebhookEndpointsTable {
  integration_id: string;
  /** Of the last event that deliveries were made of. */
  position: string;
  /** Nobody else sends to it until then: a process is at it, or it asked for a pause. */
  not_before: Date;
}

/** An event that an endpoint is still to get. */
interface WebhookDeliveriesTable {
  sequence: string;
  integration_id: string;
  incident_id: string;
  queued_at: Date;
  /** That failed. */
  attempts: Generated<number>;
  /** null: it is held back by an earlier one of its incident. */
  next_attempt_at: Date | null;
}
