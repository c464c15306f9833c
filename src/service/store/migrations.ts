import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { idempotencyMigration } from './idempotency-migration.ts';
import { incidentEndMigration } from './incident-end-migration.ts';
import { integrationTypesMigration } from './integration-types-migration.ts';
import { keyAuditMigration } from './key-audit-migration.ts';
import { listIndexesMigration } from './list-indexes-migration.ts';
import { signalEndMigration } from './signal-end-migration.ts';
import { similarIncidentsMigration } from './similar-incidents-migration.ts';
import { webhookMigration } from './webhook-migration.ts';

/** Forward only: a migration that was released is never edited. */
export const serviceMigrations: Readonly<Record<string, Migration>> = {
  '0001-first-tables': {
    async up(db: Kysely<unknown>) {
      await sql`
        create table api_keys (
          id text primary key,
          lookup text not null unique,
          name text not null,
          scope text not null check (scope in ('read-only', 'read-write')),
          salt bytea not null,
          hash bytea not null,
          created_at timestamptz(3) not null,
          last_used_at timestamptz(3),
          revoked_at timestamptz(3)
        );

        create table incidents (
          id text primary key,
          number bigint generated always as identity unique,
          title text not null,
          severity text not null,
          root_service text not null,
          services text[] not null,
          trace_signals integer not null,
          metric_signals integer not null,
          log_signals integer not null,
          correlation jsonb not null,
          stale boolean not null default false,
          opened_at timestamptz(3) not null,
          last_signal_at timestamptz(3) not null,
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
        create index incidents_stale on incidents (updated_at) where stale and closed_at is null;
        create index incidents_cooling_down on incidents (closed_at) where closed_at is not null;

        -- The primary key also serves "newest first", and finds one signal in one partition: an id holds observed_at.
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
          primary key (observed_at, id)
        ) partition by range (observed_at);
        create table signals_default partition of signals default;
        create index signals_service on signals (service, observed_at desc, id desc);
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

        create table integrations (
          id text primary key,
          type text not null,
          name text,
          config jsonb not null,
          natural_key text unique,
          created_at timestamptz(3) not null
        );
        create index integrations_newest on integrations (created_at desc, id desc);
      `.execute(db);
    },
  },
  '0002-idempotency-keys': idempotencyMigration,
  '0003-events': {
    async up(db: Kysely<unknown>) {
      await sql`
        create table events (
          sequence bigint primary key,
          type text not null,
          occurred_at timestamptz(3) not null,
          incident jsonb not null
        );
        create index events_age on events (occurred_at);

        create table event_sequence (last bigint not null);
        insert into event_sequence values (0);
      `.execute(db);
    },
  },
  '0004-key-expiry': {
    async up(db: Kysely<unknown>) {
      await sql`alter table api_keys add column expires_at timestamptz(3)`.execute(db);
    },
  },
  '0005-integration-types': integrationTypesMigration,
  '0006-webhook-deliveries': webhookMigration,
  '0007-key-audit': keyAuditMigration,
  '0008-list-indexes': listIndexesMigration,
  '0009-signal-end': signalEndMigration,
  '0010-similar-incidents': similarIncidentsMigration,
  '0011-incident-end': incidentEndMigration,
};
