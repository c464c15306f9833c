import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type {
  IncidentEventType,
  IntegrationEventType,
  PageEventType,
  SCHEDULE_GAPS,
  SIGN_IN_REQUESTED,
} from '../../../contract/events.ts';
import type { IncidentSnapshot } from '../../core/incident-event.ts';
import type { IntegrationState } from '../../core/integration-event.ts';
import type { PageNews } from '../../core/page-event.ts';
import type { PostedAlert } from '../../core/posted-alert.ts';
import type { ScheduleGaps } from '../../core/schedule-event.ts';
import type { SignInRequest } from '../../core/sign-in-request.ts';

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
  unkept: Generated<string | null>;
  unkept_at: Generated<Date | null>;
  disabled_at: Generated<Date | null>;
  system: Generated<string>;
}

/** See `Monitor`. Times are of the database's clock. */
export interface MonitorsTable {
  integration_id: string;
  kind: 'heartbeat' | 'silence';
  service: string;
  interval_ms: string;
  grace_ms: string;
  /** null: never; then it is not due. */
  seen_at: Date | null;
  usual_ms: number | null;
  due_at: Date | null;
  /** null: it is not late, or nothing was reported of it yet. */
  late_since: Date | null;
  /** Time of the last report; null: there was none. */
  told_at: Date | null;
}

/** One row: when somebody last looked for late monitors. */
export interface MonitorLookTable {
  looked_at: Date;
}

/** See `RefusedPayload`. */
export interface RefusedPayloadsTable {
  id: GeneratedAlways<string>;
  integration_id: string;
  refused_at: Date;
  fault: string;
  payload: string | null;
  kind: string | null;
  outcome: string | null;
}

/** See `AskedStateStore`. */
export interface AskedStatesTable {
  integration_id: string;
  word: string;
  fingerprint: string;
  first_at: Date;
  last_at: Date;
  times: string;
  is_waiting: boolean;
  signal: unknown;
}

export interface EventsTable {
  sequence: string;
  id: string;
  type: IncidentEventType | IntegrationEventType | PageEventType | typeof SIGN_IN_REQUESTED | typeof SCHEDULE_GAPS;
  occurred_at: Date;
  /** null: it is about something else, like the others. */
  incident: JSONColumnType<IncidentSnapshot> | null;
  integration: JSONColumnType<IntegrationState> | null;
  sign_in: JSONColumnType<SignInRequest> | null;
  page: JSONColumnType<PageNews> | null;
  schedule: JSONColumnType<ScheduleGaps> | null;
}

/** One row. Writers of events lock it until the end of their transaction. */
export interface EventSequenceTable {
  last: string;
}

/** State of a webhook's delivery. */
export interface WebhookEndpointsTable {
  integration_id: string;
  /** Sequence of the last event that was queued. */
  position: string;
  /** End of a pause, which it asked for or which its failures give it. */
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
export interface WebhookDeliveriesTable {
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
export interface WebhookAttemptsTable {
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

/** Alerts that Prometheus posts. Those whose end is past are removed. */
export interface PostedAlertsTable {
  sender: string;
  fingerprint: string;
  alert: JSONColumnType<Pick<PostedAlert, 'labels' | 'annotations' | 'generatorUrl'>>;
  starts_at: Date;
  ends_at: Date;
  updated_at: Date;
}
