import { sql } from 'kysely';

/** `rotation` is a `Rotation`. Layers that have ended stay: they say who was on call. */
export const addOnCall = sql`
  create table people (
    id text primary key,
    name text not null,
    email text unique,
    slack_user_id text unique,
    openid_subject text unique,
    time_zone text,
    created_at timestamptz(3) not null,
    gone_at timestamptz(3)
  );

  create table schedules (
    id text primary key,
    name text not null,
    time_zone text not null,
    revision integer not null default 1,
    created_at timestamptz(3) not null,
    gone_at timestamptz(3)
  );
  create unique index schedules_name on schedules (lower(name)) where gone_at is null;

  create table schedule_layers (
    id text primary key,
    schedule_id text not null references schedules (id),
    position integer not null,
    rotation jsonb not null,
    valid_from timestamptz(3) not null,
    valid_until timestamptz(3)
  );
  create index schedule_layers_schedule on schedule_layers (schedule_id);

  create table schedule_overrides (
    id text primary key,
    schedule_id text not null references schedules (id),
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    person_id text references people (id),
    replaces text references people (id),
    reason text,
    created_by text not null,
    created_at timestamptz(3) not null
  );
  create index schedule_overrides_schedule on schedule_overrides (schedule_id, ends_at);

  create table schedule_swaps (
    id text primary key,
    schedule_id text not null references schedules (id),
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    asker text not null references people (id),
    taker text references people (id),
    state text not null check (state in ('asked', 'taken', 'declined', 'withdrawn')),
    created_at timestamptz(3) not null
  );
  create index schedule_swaps_schedule on schedule_swaps (schedule_id, ends_at);

  create table schedule_changes (
    id bigint generated always as identity primary key,
    schedule_id text not null references schedules (id),
    type text not null,
    actor text not null,
    text text,
    occurred_at timestamptz(3) not null
  );
`;

/** Calendars in and out, what was told of gaps, and the effect that looks for them. */
export const addCalendars = sql`
  create table schedule_calendars (
    schedule_id text primary key references schedules (id),
    url text not null,
    etag text,
    body text,
    read_at timestamptz(3),
    expanded_at timestamptz(3),
    fault text,
    unknown text[] not null default '{}',
    unread integer not null default 0
  );

  create table schedule_spans (
    schedule_id text not null references schedules (id),
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    person_id text not null references people (id),
    primary key (schedule_id, starts_at)
  );
  create index schedule_spans_end on schedule_spans (schedule_id, ends_at);

  create table schedule_feeds (
    id text primary key,
    schedule_id text not null references schedules (id),
    token_hash bytea not null unique,
    created_by text not null,
    created_at timestamptz(3) not null
  );
  create index schedule_feeds_schedule on schedule_feeds (schedule_id);

  create table schedule_gaps (
    schedule_id text not null references schedules (id),
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    person_id text,
    because text not null,
    elsewhere text,
    is_warned boolean not null
  );
  create index schedule_gaps_schedule on schedule_gaps (schedule_id);

  create index page_attempts_began on page_attempts (began_at) where person_id is not null;

  alter table events add schedule jsonb;
  alter table events drop constraint events_check;
  alter table events add constraint events_check check (num_nonnulls(incident, integration, sign_in, page, schedule) = 1);

  insert into effects (kind, subject, detail, data, is_kept_true) values ('schedule-gaps', 'all', '', '{}', false);
`;
