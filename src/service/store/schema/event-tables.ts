import { sql } from 'kysely';

/** `secret` signs webhooks, so it cannot be hashed. */
export const createIntegrations = sql`
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

export const createEvents = sql`
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

export const createWebhooks = sql`
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

/** Words of states that nobody has explained, and what kept payloads of any JSON were. */
export const addAskedStates = sql`
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

export const addUnkept = sql`
  alter table integrations add unkept text, add unkept_at timestamptz(3);
`;

/** `not_before` was the end of a lease too. */
export const addWebhookEffects = sql`
  update webhook_endpoints set not_before = clock_now() where failures = 0;
  insert into effects (kind, subject, detail, lane, data, is_kept_true)
  select 'webhook', integration_id, '', integration_id, '{}'::jsonb, true from webhook_endpoints
  union all select 'webhook-queue', 'events', '', '', '{}'::jsonb, true;
`;
