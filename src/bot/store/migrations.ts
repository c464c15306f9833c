import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { oneServiceMigration } from './one-service-migration.ts';
import { toldMigration } from './told-migration.ts';
import { untoldMigration } from './untold-migration.ts';
import { workspaceMigration } from './workspace-migration.ts';

/** Forward only: a migration that has run anywhere is never changed. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-bot': {
    async up(db) {
      await sql`
        create table subscriptions (
          channel_id text primary key,
          setting text not null,
          created_at timestamptz not null default now()
        )`.execute(db);
      await sql`
        create table incidents (
          incident_id text primary key,
          number bigint,
          status text not null,
          snapshot jsonb not null,
          as_of timestamptz not null,
          revision bigint not null default 1,
          is_gone boolean not null default false,
          acknowledged_by text,
          acknowledged_at timestamptz,
          resolved_by text,
          closed_at timestamptz,
          resolution_note text
        )`.execute(db);
      await sql`create index incidents_by_number on incidents (number) where number is not null`.execute(db);
      await sql`create index incidents_open on incidents (incident_id) where status = 'open'`.execute(db);
      await sql`
        create table cards (
          incident_id text not null references incidents,
          channel_id text not null,
          ts text,
          attempt_id uuid,
          attempt_at timestamptz,
          desired_revision bigint not null,
          shown_revision bigint not null default 0,
          shown_digest text,
          lane smallint not null,
          attempts integer not null default 0,
          last_error text,
          next_attempt_at timestamptz not null default '-infinity',
          leased_until timestamptz,
          primary key (incident_id, channel_id)
        )`.execute(db);
      await sql`
        create index cards_due on cards (channel_id, lane, next_attempt_at)
        where shown_revision < desired_revision`.execute(db);
      await sql`
        create table pending_actions (
          id uuid primary key,
          source text unique,
          kind text not null,
          incident_id text not null,
          slack_user_id text not null,
          channel_id text,
          user_name text,
          note text,
          created_at timestamptz not null,
          attempts integer not null default 0,
          last_error text,
          next_attempt_at timestamptz not null,
          leased_until timestamptz,
          settled_at timestamptz,
          outcome text
        )`.execute(db);
      await sql`
        create index pending_actions_due on pending_actions (next_attempt_at)
        where settled_at is null`.execute(db);
      await sql`
        create table registrations (
          base_url text not null,
          team_id text not null,
          app_id text not null,
          integration_id text,
          created_at timestamptz not null default now(),
          primary key (base_url, team_id, app_id)
        )`.execute(db);
      await sql`
        create table feed_starts (
          base_url text primary key,
          watermark timestamptz not null
        )`.execute(db);
    },
  },
  '0002-slack-limits': {
    async up(db) {
      await sql`
        create table slack_limits (
          channel_id text not null,
          method text not null,
          limited_at timestamptz not null,
          paused_until timestamptz not null,
          primary key (channel_id, method)
        )`.execute(db);
    },
  },
  '0003-audits': {
    async up(db) {
      await sql`
        create table audits (
          channel_id text primary key,
          next_at timestamptz not null,
          audited_at timestamptz
        )`.execute(db);
    },
  },
  '0004-storms': {
    async up(db) {
      await sql`
        create table storms (
          id uuid primary key,
          channel_id text not null,
          started_at timestamptz not null,
          calm_at timestamptz,
          ended_at timestamptz,
          settled_at timestamptz,
          ts text,
          attempt_id uuid,
          attempt_at timestamptz,
          shown_digest text,
          next_attempt_at timestamptz not null default '-infinity',
          leased_until timestamptz
        )`.execute(db);
      await sql`create unique index storms_gathering on storms (channel_id) where calm_at is null`.execute(db);
      await sql`create index storms_due on storms (channel_id) where settled_at is null`.execute(db);
      // What is there already is not new.
      await sql`
        alter table cards
          add column created_at timestamptz not null default '-infinity',
          add column storm_id uuid references storms,
          add column is_withheld boolean not null default false`.execute(db);
      await sql`alter table cards alter column created_at set default now()`.execute(db);
      await sql`create index cards_new on cards (channel_id, created_at)`.execute(db);
      await sql`create index cards_of_storm on cards (storm_id) where storm_id is not null`.execute(db);
    },
  },
  '0005-audit-log': {
    async up(db) {
      await sql`
        create table audit_log (
          id bigint generated always as identity primary key,
          at timestamptz not null,
          action text not null,
          incident_id text,
          slack_user_id text not null,
          user_name text,
          channel_id text,
          outcome text not null,
          detail text
        )`.execute(db);
      await sql`create index audit_log_by_incident on audit_log (incident_id, at)`.execute(db);
      await sql`create index audit_log_by_user on audit_log (slack_user_id, at)`.execute(db);
    },
  },
  '0006-due-since': {
    async up(db) {
      await sql`alter table cards add column due_since timestamptz not null default now()`.execute(db);
    },
  },
  '0007-freshness': {
    async up(db) {
      await sql`
        alter table feed_starts add column answered_at timestamptz, add column stale_since timestamptz`.execute(db);
    },
  },
  '0008-past-fixes': {
    async up(db) {
      await sql`
        create index incidents_closed_by_root on incidents ((snapshot->>'root_service')) where status = 'closed'`.execute(
        db,
      );
    },
  },
  '0009-told': toldMigration,
  '0010-untold': untoldMigration,
  '0011-growth': {
    async up(db) {
      await sql`alter table incidents add column first_signal_count bigint`.execute(db);
    },
  },
  '0012-workspace': workspaceMigration,
  '0013-one-service': oneServiceMigration,
  '0014-turns': {
    async up(db) {
      await sql`alter table cards add column refusals integer not null default 0`.execute(db);
      await sql`drop index cards_due`.execute(db);
      await sql`
        create index cards_due on cards (channel_id, is_withheld, (case when refusals < 3 then lane else 3 end),
          greatest(due_since, next_attempt_at), incident_id)
        where shown_revision < desired_revision`.execute(db);
    },
  },
  '0015-last-attempts': {
    async up(db) {
      for (const table of ['cards', 'storms', 'threads']) {
        await sql`alter table ${sql.table(table)} add column last_attempt_at timestamptz`.execute(db);
        await sql`
          update ${sql.table(table)} set last_attempt_at = now() where attempt_id is not null`.execute(db);
      }
    },
  },
};
