import { sql } from 'kysely';

/**
 * Systems: what is judged together. Nullable for signals, because processes of the version before write them while an upgrade
 * runs. Such a process also opens incidents without an `ordinal`, which is then their number.
 */
export const addSystems = sql`
  alter table integrations add system text not null default 'main';
  alter table signals add system text;
  alter table incidents add system text not null default 'main', add ordinal bigint;
  create unique index incidents_of_system on incidents (system, coalesce(ordinal, number));

  -- Systems open incidents at the same time, and all are numbered in one row. Other transactions wait until this one ends.
  create function next_incident_number() returns bigint language plpgsql volatile set search_path from current as $$
  begin
    perform pg_advisory_xact_lock(7405516003);
    return (select coalesce(max(number), 0) + 1 from incidents);
  end
  $$;

  -- Processes that correlate. Times of the database's clock.
  create table correlators (process text primary key, alive_until timestamptz(3) not null);

  alter table integration_changes drop constraint integration_changes_type_check;
  alter table integration_changes add constraint integration_changes_type_check
    check (type in ('created', 'mapping-changed', 'system-changed', 'secret-rotated', 'enabled', 'deleted'));
`;
