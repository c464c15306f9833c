import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What the filters of the lists need to cost the same however much is stored.
 *
 * `incident_counts` holds how many incidents there are of each kind; service `''` stands for all of them. Its trigger
 * runs at the end of the transaction, when who changes incidents holds the row of `event_sequence`: so two changes
 * never wait for each other's counts in opposite order.
 *
 * Searching for text reads few incidents only where the extension pg_trgm may be had; without it the same search reads
 * every one.
 */
export const listIndexesMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create index incidents_severity on incidents (severity, opened_at desc, id desc);
      create index incidents_acknowledged on incidents (opened_at desc, id desc) where acknowledged_at is not null;
      create index incidents_unacknowledged on incidents (opened_at desc, id desc) where acknowledged_at is null;
      create index incidents_services on incidents using gin (services);
      create index incidents_open_services on incidents using gin (services) where closed_at is null;
      create index signals_type on signals (type, observed_at desc, id desc);

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

      insert into incident_counts
      select service, closed_at is not null, severity, acknowledged_at is not null, count(*)
      from incidents cross join lateral (select distinct unnest(services || ''::text) as service) as involved
      group by 1, 2, 3, 4;

      create function incident_search_text(title text, services text[]) returns text
        language sql immutable parallel safe
        as $$ select lower(title || E'\\n' || array_to_string(services, E'\\n')) $$;
      alter table incidents
        add column search_text text not null generated always as (incident_search_text(title, services)) stored;

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
    `.execute(db);
  },
};
