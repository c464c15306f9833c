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

  -- Processes that correlate. Times of the database's clock.
  create table correlators (process text primary key, alive_until timestamptz(3) not null);

  alter table integration_changes drop constraint integration_changes_type_check;
  alter table integration_changes add constraint integration_changes_type_check
    check (type in ('created', 'mapping-changed', 'system-changed', 'secret-rotated', 'enabled', 'deleted'));
`;
