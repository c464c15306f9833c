import { sql } from 'kysely';

/**
 * The input of correlation, and the state of the process that does it. Both are small: the log is trimmed. Both are
 * compressed already, so PostgreSQL need not try.
 */
export const createCorrelation = sql`
  create table telemetry_log (
    sequence bigint generated always as identity primary key,
    entry bytea not null
  );
  alter table telemetry_log alter column entry set storage external;

  create table correlation (
    leader text,
    leased_until timestamptz(3),
    position bigint not null,
    snapshot bytea,
    snapshot_version integer not null,
    snapshot_position bigint not null,
    calls jsonb,
    changes jsonb
  );
  alter table correlation alter column snapshot set storage external;
  insert into correlation values (null, null, 0, null, 0, 0);

  create table set_aside (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('report', 'entries', 'learnt', 'incident')),
    first bigint not null,
    last bigint not null,
    report integer,
    cause text not null,
    is_pending boolean not null,
    entry bytea,
    set_aside_at timestamptz(3) not null default clock_now()
  );
`;

/**
 * The log in partitions. Each has its position, snapshot and lease: a row of `correlation`. The defaults serve a process of
 * an earlier version.
 */
export const addLogPartitions = sql`
  alter table telemetry_log
    add column partition text not null default 'main',
    add column message bigint,
    drop constraint telemetry_log_pkey,
    add primary key (partition, sequence);

  alter table correlation
    add column partition text primary key default 'main',
    add column purged bigint not null default 0;

  alter table set_aside add column partition text not null default 'main';
`;
