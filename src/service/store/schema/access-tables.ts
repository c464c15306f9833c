import { sql } from 'kysely';

/** `idempotency_keys.status` is null while the first request with the key is running. */
export const createKeys = sql`
  create table api_keys (
    id text primary key,
    lookup text not null unique,
    name text not null,
    scope text not null check (scope in ('read-only', 'read-write', 'ingest')),
    salt bytea not null,
    hash bytea not null,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3),
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    integration_id text
  );
  create index api_keys_integration on api_keys (integration_id) where integration_id is not null;

  -- Entries outlive their keys.
  create table api_key_events (
    id bigint generated always as identity primary key,
    key_id text not null,
    type text not null check (type in ('created', 'bootstrapped', 'rotated', 'revoked')),
    actor text not null,
    successor_id text,
    occurred_at timestamptz(3) not null
  );
  create index api_key_events_key on api_key_events (key_id);

  create table idempotency_keys (
    api_key_id text not null,
    idempotency_key text not null,
    claim text not null,
    request_digest text not null,
    claimed_at timestamptz(3) not null,
    status integer,
    headers jsonb,
    body text,
    primary key (api_key_id, idempotency_key)
  );
  create index idempotency_keys_oldest on idempotency_keys (claimed_at);
`;

export const createSessions = sql`
  create table sessions (
    id text primary key,
    token_hash bytea not null unique,
    identity text not null,
    user_name text not null,
    person_name text not null,
    slack_user_id text,
    role text not null check (role in ('viewer', 'responder', 'admin')),
    method text not null check (method in ('api-key', 'link', 'openid')),
    api_key_id text,
    address text not null,
    user_agent text not null,
    created_at timestamptz(3) not null,
    last_seen_at timestamptz(3) not null
  );
  create index sessions_identity on sessions (identity);

  -- Entries outlive their sessions.
  create table sign_in_events (
    id bigint generated always as identity primary key,
    type text not null check (type in ('signed-in', 'signed-out', 'ended')),
    actor text not null,
    person_name text not null,
    role text not null,
    method text not null,
    address text not null,
    user_agent text not null,
    occurred_at timestamptz(3) not null
  );

  create table sign_in_links (
    token_hash bytea primary key,
    identity text not null,
    user_name text not null,
    person_name text not null,
    slack_user_id text,
    role text not null check (role in ('viewer', 'responder', 'admin')),
    api_key_id text,
    return_to text,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
`;

/** Why somebody has a role, and what people did with integrations. Entries outlive their integrations. */
export const addAccess = sql`
  alter table sessions add granted_by text[] not null default '{}';

  create table integration_changes (
    id bigint generated always as identity primary key,
    type text not null check (type in ('created', 'mapping-changed', 'secret-rotated', 'enabled', 'deleted')),
    integration_id text not null,
    integration_type text not null,
    integration_name text,
    actor text not null,
    occurred_at timestamptz(3) not null
  );
`;

/** Who people are, beside their names. null: not known, because it was before this migration. */
export const addActorIds = sql`
  alter table incidents add acknowledged_by_id text, add resolved_by_id text, add declared_by_id text;
  alter table timeline_entries add author_id text;
  alter table mutes add created_by_id text;
  alter table mute_plans add created_by_id text;
  alter table sessions add user_id text;
  alter table sign_in_links add user_id text;
  update sessions set user_id = 'key:' || name from api_keys where method = 'api-key' and api_keys.id = api_key_id;
`;

/** The same where names stood alone. `user_id` is of the person whose session began or ended. */
export const addMoreActorIds = sql`
  alter table lessons add created_by_id text;
  alter table schedule_overrides add created_by_id text;
  alter table schedule_feeds add created_by_id text;
  alter table schedule_changes add actor_id text;
  alter table sign_in_events add user_id text, add actor_id text;
  alter table integration_changes add actor_id text;
  alter table api_key_events add actor_id text;
`;
