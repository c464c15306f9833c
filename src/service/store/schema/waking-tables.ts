import { sql } from 'kysely';

/** Times of attempts are of the database's clock, and so are those of their effects. */
export const addWaking = sql`
  create table policies (
    id text primary key,
    position bigint generated always as identity,
    name text not null unique,
    plan jsonb not null,
    created_at timestamptz(3) not null,
    changed_at timestamptz(3) not null,
    changed_by text not null,
    changed_by_id text
  );

  create table ways (
    id text primary key,
    person_id text not null,
    kind text not null,
    address jsonb not null,
    loud_after_s integer,
    quiet_after_s integer,
    created_at timestamptz(3) not null,
    verified_at timestamptz(3),
    last_answered_at timestamptz(3),
    unusable_because text,
    code_hash bytea,
    code_until timestamptz(3),
    code_tries integer not null default 0,
    unique (person_id, kind, address)
  );

  create table pages (
    id text primary key,
    incident_id text references incidents (id),
    policy jsonb not null,
    state text not null check (state in ('held', 'waking', 'exhausted', 'taken', 'ended')),
    cycle integer not null default 0,
    step integer not null default -1,
    reached_cycle integer not null default -1,
    started_at timestamptz(3) not null,
    ended_at timestamptz(3),
    ended_by text,
    ended_by_id text,
    check ((state in ('taken', 'ended')) = (ended_at is not null))
  );
  create unique index pages_live on pages (incident_id) where ended_at is null;
  create index pages_of_incident on pages (incident_id, started_at desc);

  create table page_attempts (
    id text primary key,
    page_id text references pages (id) on delete cascade,
    cycle integer not null,
    step integer not null,
    person_id text,
    way_id text references ways (id) on delete set null,
    kind text not null,
    address jsonb,
    state text not null
      check (state in ('planned', 'sending', 'accepted', 'answered', 'failed', 'void', 'retracted')),
    detail text,
    due_at timestamptz(3) not null,
    began_at timestamptz(3),
    settled_at timestamptz(3),
    answered_at timestamptz(3),
    listed text[] not null default '{}'
  );
  create index page_attempts_page on page_attempts (page_id, due_at);
  create index page_attempts_live on page_attempts (person_id) where state in ('planned', 'sending', 'accepted');

  create table waking_keys (
    vapid_public text not null,
    vapid_private text not null,
    answer_secret bytea not null
  );
  create unique index waking_keys_one on waking_keys ((true));
`;

/**
 * What waking saw of incidents. Of those that are there already, only their opening, acknowledgement, recovery and end are
 * known, with the severity, services and labels that they have now.
 */
export const addWakeHistory = sql`
  create table wake_history (
    incident_id text not null references incidents (id) on delete cascade,
    sequence bigint generated always as identity,
    at timestamptz(3) not null,
    facts jsonb not null,
    primary key (incident_id, sequence)
  );
  create index wake_history_age on wake_history (at);

  insert into wake_history (incident_id, at, facts)
  select incidents.id, moment.at, jsonb_build_object(
      'isOpen', closed_at is null or moment.at < closed_at,
      'isAcknowledged', acknowledged_at is not null and moment.at >= acknowledged_at,
      'mutedUntil', null,
      'hasRecovered', activity = 'recovered' and moment.at >= active_since,
      'rootService', root_service, 'services', services, 'severity', severity, 'labels', labels,
      'integrations', (select coalesce(jsonb_agg(each->'id'), '[]') from jsonb_array_elements(integrations) as each)
    )
  from incidents cross join lateral (
    select distinct unnest(array[opened_at, acknowledged_at, closed_at, case when activity = 'recovered' then active_since end])
  ) as moment(at)
  where opened_at > clock_now() - interval '90 days' and moment.at >= opened_at
  order by number, moment.at;
`;

/** Who has answered a page is asked before each of its steps, and at each answer. */
export const addAnsweredIndex = sql`
  create index page_attempts_answered on page_attempts using gin (listed) where state = 'answered'`;
