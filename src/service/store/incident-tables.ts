import { sql } from 'kysely';

/**
 * Incidents, with an index for each filter and order of their list.
 *
 * `incident_counts` has the number of incidents of each combination of values; service `''` means all services. Its
 * trigger runs at the end of the transaction, when the transaction holds the row of `event_sequence`. So two
 * transactions never wait for each other's counts in opposite order.
 *
 * Text search uses an index only where the extension pg_trgm is available. Otherwise it reads all incidents.
 */
export const createIncidents = sql`
  create function incident_search_text(title text, services text[]) returns text
    language sql immutable parallel safe
    as $$ select lower(title || E'\\n' || array_to_string(services, E'\\n')) $$;

  create table incidents (
    id text primary key,
    number bigint generated always as identity unique,
    title text not null,
    severity text not null,
    root_service text not null,
    services text[] not null,
    search_text text not null generated always as (incident_search_text(title, services)) stored,
    signal_counts jsonb not null,
    correlation jsonb not null,
    stale boolean not null default false,
    opened_at timestamptz(3) not null,
    last_signal_at timestamptz(3) not null,
    signals_ended_at timestamptz(3),
    updated_at timestamptz(3) not null,
    acknowledged_at timestamptz(3),
    acknowledged_by text,
    closed_at timestamptz(3),
    resolution_note text,
    resolved_by text,
    previous_incident_id text references incidents (id)
  );
  create index incidents_newest on incidents (opened_at desc, id desc);
  create index incidents_open on incidents (opened_at desc, id desc) where closed_at is null;
  create index incidents_closed on incidents (opened_at desc, id desc) where closed_at is not null;
  create index incidents_severity on incidents (severity, opened_at desc, id desc);
  create index incidents_acknowledged on incidents (opened_at desc, id desc) where acknowledged_at is not null;
  create index incidents_unacknowledged on incidents (opened_at desc, id desc) where acknowledged_at is null;
  create index incidents_services on incidents using gin (services);
  create index incidents_open_services on incidents using gin (services) where closed_at is null;
  create index incidents_stale on incidents (updated_at) where stale and closed_at is null;
  create index incidents_quiet on incidents (last_signal_at) where closed_at is null;
  create index incidents_cooling_down on incidents (closed_at) where closed_at is not null;
  create index incidents_fixed on incidents (root_service, closed_at desc) where closed_at is not null;

  do $$
  declare
    home text;
  begin
    begin
      create extension if not exists pg_trgm;
    exception when insufficient_privilege or feature_not_supported or undefined_file then
      return;
    end;
    select nspname into home from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm';
    execute format('create index incidents_text on incidents using gin (search_text %I.gin_trgm_ops)', home);
  end
  $$;

  create table incident_counts (
    service text not null,
    closed boolean not null,
    severity text not null,
    acknowledged boolean not null,
    incidents bigint not null,
    primary key (service, closed, severity, acknowledged)
  );

  create function count_incident() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into incident_counts as counted
    select service, closed, severity, acknowledged, sum(change)
    from (
      select unnest(old.services || ''::text) as service, old.closed_at is not null as closed, old.severity as severity,
        old.acknowledged_at is not null as acknowledged, -1 as change
      where tg_op <> 'INSERT'
      union
      select unnest(new.services || ''::text), new.closed_at is not null, new.severity, new.acknowledged_at is not null, 1
      where tg_op <> 'DELETE'
    ) as changes
    group by service, closed, severity, acknowledged
    having sum(change) <> 0
    on conflict (service, closed, severity, acknowledged) do update
    set incidents = counted.incidents + excluded.incidents;
    return null;
  end
  $$;

  create constraint trigger incidents_counted after insert or delete on incidents
    deferrable initially deferred for each row execute function count_incident();
  create constraint trigger incidents_recounted after update on incidents
    deferrable initially deferred for each row
    when ((old.services, old.closed_at is null, old.severity, old.acknowledged_at is null)
      is distinct from (new.services, new.closed_at is null, new.severity, new.acknowledged_at is null))
    execute function count_incident();
`;

/**
 * Signals in a partition per day, and the graph of calls between services. The primary key of a signal also serves the
 * order of lists, and finds a signal in one partition, because its id contains `observed_at`.
 */
export const createSignals = sql`
  create table signals (
    id text not null,
    observed_at timestamptz(3) not null,
    received_at timestamptz(3) not null,
    last_seen_at timestamptz(3) not null,
    type text not null,
    service text not null,
    summary text not null,
    severity text not null,
    fingerprint text not null,
    occurrences bigint not null,
    incident_id text,
    trace_id text,
    span_id text,
    attributes jsonb not null,
    source jsonb not null,
    detail jsonb not null,
    ended_at timestamptz(3),
    primary key (observed_at, id)
  ) partition by range (observed_at);
  create table signals_default partition of signals default;
  create index signals_service on signals (service, observed_at desc, id desc);
  create index signals_type on signals (type, observed_at desc, id desc);
  create index signals_incident on signals (incident_id, observed_at desc, id desc) where incident_id is not null;
  create index signals_waiting on signals (received_at) where incident_id is null;
  create index signals_fingerprint on signals using hash (fingerprint);

  create table service_calls (
    from_service text not null,
    to_service text not null,
    calls bigint not null,
    errors bigint not null,
    last_seen_at timestamptz(3) not null,
    primary key (from_service, to_service)
  );
  create index service_calls_recent on service_calls (last_seen_at);
`;
