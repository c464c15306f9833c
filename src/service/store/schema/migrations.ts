import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createClock } from '../../../database/lease.ts';
import { createEffectsIndex, createEffectsIndexByKind, createEffectsTable } from '../../../effects/kept-effects.ts';
import { addAccess, createKeys, createSessions } from './access-tables.ts';
import { addAnsweredIndex } from './answered-index.ts';
import {
  addByHand,
  addLabels,
  addLessons,
  addMutePlans,
  createCorrelation,
  createIncidentDetails,
  createIncidents,
  createSignals,
  letIncidentsGo,
} from './incident-tables.ts';
import { addLogPartitions } from './log-tables.ts';
import { addCalendars, addOnCall } from './on-call-tables.ts';
import { addSlackArm } from './slack-arm-tables.ts';
import { addSystems } from './system-tables.ts';
import { addWakeHistory, addWaking } from './waking-tables.ts';
import { addWays } from './ways-tables.ts';

/** `secret` signs webhooks, so it cannot be hashed. */
const createIntegrations = sql`
  create table integrations (
    id text primary key,
    type text not null,
    name text,
    config jsonb not null,
    natural_key text unique,
    created_at timestamptz(3) not null,
    secret text,
    previous_secret text,
    previous_secret_until timestamptz(3),
    last_used_at timestamptz(3),
    last_error text,
    disabled_at timestamptz(3)
  );
  create index integrations_newest on integrations (created_at desc, id desc);

  -- Times of the database's clock.
  create table monitors (
    integration_id text primary key references integrations (id) on delete cascade,
    kind text not null check (kind in ('heartbeat', 'silence')),
    service text not null,
    interval_ms bigint not null,
    grace_ms bigint not null,
    seen_at timestamptz(3),
    usual_ms double precision,
    due_at timestamptz(3),
    late_since timestamptz(3),
    told_at timestamptz(3)
  );
  create table monitor_look (looked_at timestamptz(3) not null);
  insert into monitor_look values (clock_now());

  create table refused_payloads (
    id bigint generated always as identity primary key,
    integration_id text not null references integrations (id) on delete cascade,
    refused_at timestamptz(3) not null,
    fault text,
    payload text
  );
  create index refused_payloads_newest on refused_payloads (integration_id, id desc);

  create table posted_alerts (
    sender text not null,
    fingerprint text not null,
    alert jsonb not null,
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (sender, fingerprint)
  );
  create index posted_alerts_ending on posted_alerts (ends_at);
  create index posted_alerts_oldest on posted_alerts (starts_at, fingerprint);
`;

const createEvents = sql`
  create table events (
    sequence bigint primary key,
    id text not null,
    type text not null,
    occurred_at timestamptz(3) not null,
    incident jsonb,
    integration jsonb,
    sign_in jsonb,
    check (num_nonnulls(incident, integration, sign_in) = 1)
  );
  create index events_age on events (occurred_at);

  create table event_sequence (last bigint not null);
  insert into event_sequence values (0);
`;

const createWebhooks = sql`
  create table webhook_endpoints (
    integration_id text primary key references integrations (id) on delete cascade,
    position bigint not null,
    not_before timestamptz(3) not null,
    failing_since timestamptz(3),
    failures integer not null default 0,
    delivered_at timestamptz(3),
    stopped_because text check (stopped_because in ('failing', 'gone'))
  );

  create table webhook_deliveries (
    sequence bigint not null references events (sequence) on delete cascade,
    integration_id text not null references webhook_endpoints (integration_id) on delete cascade,
    subject_id text not null,
    queued_at timestamptz(3) not null,
    attempts integer not null default 0,
    next_attempt_at timestamptz(3),
    gave_up_at timestamptz(3),
    primary key (sequence, integration_id)
  );
  create index webhook_deliveries_due on webhook_deliveries (integration_id, next_attempt_at)
    where next_attempt_at is not null;
  create index webhook_deliveries_next on webhook_deliveries (integration_id, attempts, sequence)
    where next_attempt_at is not null;
  create index webhook_deliveries_order on webhook_deliveries (integration_id, subject_id, sequence);

  create table webhook_attempts (
    id text primary key,
    integration_id text not null references webhook_endpoints (integration_id) on delete cascade,
    sequence bigint references events (sequence) on delete cascade,
    event_id text not null,
    event_type text not null,
    attempt integer not null,
    attempted_at timestamptz(3) not null,
    duration_ms integer not null,
    http_status integer,
    error text,
    response text,
    next_attempt_at timestamptz(3)
  );
  create index webhook_attempts_newest on webhook_attempts (integration_id, attempted_at desc, id desc);
  create index webhook_attempts_event on webhook_attempts (sequence);
`;

const initialMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await createClock.execute(db);
    await createKeys.execute(db);
    await createSessions.execute(db);
    await createIncidents.execute(db);
    await createIncidentDetails.execute(db);
    await createSignals.execute(db);
    await createCorrelation.execute(db);
    await createIntegrations.execute(db);
    await createEvents.execute(db);
    await createWebhooks.execute(db);
  },
};

/** Who people are, beside their names. null: not known, because it was before this migration. */
const addActorIds = sql`
  alter table incidents add acknowledged_by_id text, add resolved_by_id text, add declared_by_id text;
  alter table timeline_entries add author_id text;
  alter table mutes add created_by_id text;
  alter table mute_plans add created_by_id text;
  alter table sessions add user_id text;
  alter table sign_in_links add user_id text;
  update sessions set user_id = 'key:' || name from api_keys where method = 'api-key' and api_keys.id = api_key_id;
`;

/** Failing signals of incidents by service and minute. Incidents of before are not counted. */
const addServiceFailures = sql`
  create table incident_service_failures (
    incident_id text not null references incidents (id),
    service text not null,
    minute timestamptz(0) not null,
    signals bigint not null,
    primary key (incident_id, service, minute)
  );
  create index incident_service_failures_age on incident_service_failures (minute);
  alter table incidents add service_totals jsonb;
  alter table incidents alter column service_totals set default '{}';
`;

/** Of each severity the one that has been open longest comes first. Both directions are one, so that a cursor is one comparison. */
const reorderUrgent = sql`
  drop index incidents_urgent;
  create index incidents_urgent on incidents ((-severity_rank(severity)), opened_at, id) where closed_at is null;
`;

/** Words of states that nobody has explained, and what kept payloads of any JSON were. */
const addAskedStates = sql`
  create table asked_states (
    integration_id text not null references integrations (id) on delete cascade,
    word text not null,
    fingerprint text not null,
    first_at timestamptz(3) not null,
    last_at timestamptz(3) not null,
    times bigint not null default 1,
    is_waiting boolean not null,
    signal jsonb not null,
    primary key (integration_id, word, fingerprint)
  );
  alter table refused_payloads add kind text, add outcome text;
`;

/** Alerts of one name are compared with each other. */
const addAlertNames = sql`
  create index signals_alert_name on signals ((detail #>> '{named,name}'), observed_at)
    where (detail #>> '{named,name}') is not null;
`;

/** The times of day of a plan are those of its first time, whatever the change of the clocks did to the last one. */
const addFirstTimes = sql`
  alter table mute_plans add first_starts_at timestamptz(3), add first_until timestamptz(3);
`;

const addUnkept = sql`
  alter table integrations add unkept text, add unkept_at timestamptz(3);
`;

/** `not_before` was the end of a lease too. */
const addWebhookEffects = sql`
  update webhook_endpoints set not_before = clock_now() where failures = 0;
  insert into effects (kind, subject, detail, lane, data, is_kept_true)
  select 'webhook', integration_id, '', integration_id, '{}'::jsonb, true from webhook_endpoints
  union all select 'webhook-queue', 'events', '', '', '{}'::jsonb, true;
`;

/** The schema `tocsin_service`. Forward only: a released migration is never edited. */
export const serviceMigrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initialMigration,
  '0002-by-hand': {
    async up(db: Kysely<unknown>) {
      await addByHand.execute(db);
    },
  },
  '0003-access': {
    async up(db: Kysely<unknown>) {
      await addAccess.execute(db);
    },
  },
  '0004-labels': {
    async up(db: Kysely<unknown>) {
      await addLabels.execute(db);
    },
  },
  '0005-lessons': {
    async up(db: Kysely<unknown>) {
      await addLessons.execute(db);
    },
  },
  '0006-mute-plans': {
    async up(db: Kysely<unknown>) {
      await addMutePlans.execute(db);
    },
  },
  '0007-actor-ids': {
    async up(db: Kysely<unknown>) {
      await addActorIds.execute(db);
    },
  },
  '0008-service-failures': {
    async up(db: Kysely<unknown>) {
      await addServiceFailures.execute(db);
    },
  },
  '0009-longest-open': {
    async up(db: Kysely<unknown>) {
      await reorderUrgent.execute(db);
    },
  },
  '0010-asked-states': {
    async up(db: Kysely<unknown>) {
      await addAskedStates.execute(db);
    },
  },
  '0011-alert-names': {
    async up(db: Kysely<unknown>) {
      await addAlertNames.execute(db);
    },
  },
  '0012-first-times': {
    async up(db: Kysely<unknown>) {
      await addFirstTimes.execute(db);
    },
  },
  '0013-unkept': {
    async up(db: Kysely<unknown>) {
      await addUnkept.execute(db);
    },
  },
  '0014-effects': {
    async up(db: Kysely<unknown>) {
      await createEffectsTable.execute(db);
      await createEffectsIndex.execute(db);
    },
  },
  '0015-on-call': {
    async up(db: Kysely<unknown>) {
      await addOnCall.execute(db);
    },
  },
  '0016-waking': {
    async up(db: Kysely<unknown>) {
      await addWaking.execute(db);
    },
  },
  '0017-ways': {
    async up(db: Kysely<unknown>) {
      await addWays.execute(db);
    },
  },
  '0018-slack-arm': {
    async up(db: Kysely<unknown>) {
      await addSlackArm.execute(db);
    },
  },
  '0019-wake-history': {
    async up(db: Kysely<unknown>) {
      await addWakeHistory.execute(db);
    },
  },
  '0020-calendars': {
    async up(db: Kysely<unknown>) {
      await addCalendars.execute(db);
    },
  },
  '0021-answered-index': {
    async up(db: Kysely<unknown>) {
      await addAnsweredIndex.execute(db);
    },
  },
  '0022-effects-by-kind': {
    async up(db: Kysely<unknown>) {
      await createEffectsIndexByKind.execute(db);
      await sql`drop index effects_due`.execute(db);
    },
  },
  '0023-log-partitions': {
    async up(db: Kysely<unknown>) {
      await addLogPartitions.execute(db);
    },
  },
  '0024-systems': {
    async up(db: Kysely<unknown>) {
      await addSystems.execute(db);
    },
  },
  '0025-incident-retention': {
    async up(db: Kysely<unknown>) {
      await letIncidentsGo.execute(db);
    },
  },
  '0026-webhook-effects': {
    async up(db: Kysely<unknown>) {
      await addWebhookEffects.execute(db);
    },
  },
};
