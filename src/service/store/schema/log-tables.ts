import { sql } from 'kysely';

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
