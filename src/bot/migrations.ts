import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createClock } from '../database/lease.ts';
import { createEffectsIndex, createEffectsIndexByKind, createEffectsTable } from '../effects/kept-effects.ts';

/** Forward only: a released migration is never changed. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': {
    async up(db) {
      await createClock.execute(db);
      await sql`
        create table installation (
          is_only boolean primary key default true check (is_only),
          team_id text,
          service_id text,
          watermark timestamptz,
          answered_at timestamptz,
          failing_since timestamptz,
          stale_since timestamptz,
          registered_as text,
          integration_id text,
          rules_version bigint not null default 1
        )`.execute(db);
      await sql`insert into installation default values`.execute(db);
      await sql`
        create table channels (
          channel_id text primary key,
          subscribed_as text,
          tokens double precision not null default 5,
          counted_at timestamptz not null default clock_now(),
          next_audit_at timestamptz,
          audited_until timestamptz,
          audit_threads text[] not null default '{}'
        )`.execute(db);
      await sql`
        create table rules (
          id uuid primary key default gen_random_uuid(),
          channel_id text not null references channels on delete cascade,
          filter jsonb not null,
          escalation jsonb not null,
          quiet_hours jsonb,
          handover jsonb,
          is_default boolean not null default false,
          source text unique,
          created_by text,
          changed_at timestamptz not null default clock_now()
        )`.execute(db);
      await sql`create index rules_of_channel on rules (channel_id)`.execute(db);
      await sql`
        create table deleted_rules (
          id uuid primary key,
          rule jsonb not null,
          deleted_at timestamptz not null default clock_now()
        )`.execute(db);
      await sql`
        create table incidents (
          incident_id text primary key,
          number bigint,
          snapshot jsonb not null,
          confirmations jsonb not null default '[]',
          incident jsonb not null,
          is_open boolean not null,
          is_acknowledged boolean not null,
          root_service text not null,
          opened_at timestamptz not null,
          closed_at timestamptz,
          as_of timestamptz not null,
          version bigint not null default 1,
          first_signal_count bigint not null,
          is_gone boolean not null default false,
          is_unread boolean not null default false
        )`.execute(db);
      await sql`create index incidents_by_number on incidents (number) where number is not null`.execute(db);
      await sql`create index incidents_open on incidents (incident_id) where is_open`.execute(db);
      await sql`
        create index incidents_closed_by_root on incidents (root_service, closed_at) where closed_at is not null`.execute(
        db,
      );
      await sql`
        create table messages (
          id uuid primary key default gen_random_uuid(),
          kind text not null,
          channel_id text not null references channels on delete cascade,
          thread_ts text,
          subject text not null,
          data jsonb not null default '{}',
          ts text,
          digest text,
          needs_redraw boolean not null default true,
          revision bigint not null default 1,
          urgency smallint not null,
          due_since timestamptz not null default clock_now(),
          shown_at timestamptz,
          attempt_id uuid,
          attempt_first_at timestamptz,
          attempt_last_at timestamptz,
          attempt_data jsonb,
          next_call text not null generated always as (case
            when kind = 'home' then 'views.publish'
            when ts is not null then 'chat.update'
            when attempt_id is null then 'chat.postMessage'
            when thread_ts is null then 'conversations.history'
            else 'conversations.replies' end) stored,
          retry_at timestamptz,
          held_until timestamptz,
          failures integer not null default 0,
          refusals integer not null default 0,
          last_error text,
          leased_until timestamptz,
          lease uuid not null default gen_random_uuid(),
          storm_id uuid references messages on delete set null,
          is_withheld boolean not null default false,
          created_at timestamptz not null default clock_now(),
          unique nulls not distinct (subject, kind, channel_id, thread_ts)
        )`.execute(db);
      await sql`
        create index messages_due on messages (channel_id, (case when refusals < 3 then urgency else 3 end),
          greatest(due_since, retry_at), id)
        where needs_redraw and not is_withheld`.execute(db);
      await sql`create index messages_new_cards on messages (channel_id, created_at) where kind = 'card'`.execute(db);
      await sql`
        create index messages_unlinked on messages (ts)
        where kind = 'card' and ts is not null and data->>'linkedTs' is distinct from ts`.execute(db);
      await sql`create index messages_homes on messages (id) where kind = 'home'`.execute(db);
      await sql`create index messages_of_storm on messages (storm_id) where storm_id is not null`.execute(db);
      await sql`
        create index messages_running_storms on messages (channel_id)
        where kind = 'storm' and data->>'endedAt' is null`.execute(db);
      await sql`
        create unique index messages_gathering_storm on messages (channel_id)
        where kind = 'storm' and data->>'calmAt' is null`.execute(db);
      await sql`
        create table actions (
          id uuid primary key default gen_random_uuid(),
          source text not null unique,
          number bigint not null generated always as identity,
          kind text not null,
          incident_id text,
          data jsonb not null,
          slack_user_id text not null,
          channel_id text,
          user_name text,
          origin text not null,
          created_at timestamptz not null default clock_now(),
          attempts integer not null default 0,
          last_error text,
          retry_at timestamptz,
          leased_until timestamptz,
          settled_at timestamptz,
          outcome text,
          effect_at timestamptz,
          answer jsonb,
          check ((incident_id is null) = (kind in ('mute', 'unmute')))
        )`.execute(db);
      await sql`create index actions_waiting on actions (incident_id) where settled_at is null`.execute(db);
      await sql`create index actions_by_incident on actions (incident_id)`.execute(db);
      await sql`create index actions_unanswered on actions (slack_user_id) where answer is not null`.execute(db);
      await sql`
        create table people (
          slack_user_id text primary key,
          name text not null,
          standing text not null,
          looked_up_at timestamptz not null default clock_now()
        )`.execute(db);
      await sql`create index people_by_name on people (name)`.execute(db);
      await sql`
        create table slack_pauses (
          call text,
          channel_id text,
          reason text not null,
          failures integer not null,
          since timestamptz not null,
          until timestamptz not null,
          unique nulls not distinct (call, channel_id)
        )`.execute(db);
      await sql`
        create table audit_log (
          id bigint generated always as identity primary key,
          at timestamptz not null default clock_now(),
          action text not null,
          incident_id text,
          slack_user_id text not null,
          user_name text,
          channel_id text,
          origin text,
          outcome text not null,
          detail text
        )`.execute(db);
      await sql`create index audit_log_by_incident on audit_log (incident_id, at)`.execute(db);
      await sql`create index audit_log_by_user on audit_log (slack_user_id, at)`.execute(db);
    },
  },
  '0002-declarations': {
    async up(db) {
      await sql`
        alter table actions drop constraint actions_check,
          add check ((incident_id is null) = (kind in ('mute', 'unmute', 'declare')))`.execute(db);
    },
  },
  '0003-open-views': {
    async up(db) {
      await sql`create index messages_open_views on messages (id) where kind in ('list', 'signals')`.execute(db);
    },
  },
  '0004-retention': {
    async up(db) {
      await sql`alter table installation add column forgotten_until timestamptz`.execute(db);
      await sql`
        create index incidents_by_end on incidents (coalesce(closed_at, '-infinity'), incident_id)
        where not is_open`.execute(db);
      await sql`create index actions_by_end on actions (settled_at, id) where settled_at is not null`.execute(db);
      await sql`create index audit_log_by_age on audit_log (at, id)`.execute(db);
      await sql`
        create index messages_by_age on messages (created_at) where kind in ('notice', 'sign-in', 'storm')`.execute(db);
    },
  },
  '0005-user-ids': {
    async up(db) {
      await sql`alter table people add user_id text`.execute(db);
    },
  },
  '0006-read-what-is-due': {
    async up(db) {
      await sql`create index incidents_by_opening on incidents (opened_at)`.execute(db);
      await sql`create index incidents_by_closing on incidents (closed_at)`.execute(db);
      await sql`create index incidents_unread on incidents (incident_id) where is_unread`.execute(db);
      await sql`create index messages_to_redraw on messages (channel_id) where needs_redraw`.execute(db);
      await sql`
        create index messages_by_ts on messages (channel_id, ts collate "C")
        where ts is not null and kind in ('card', 'storm', 'notice')`.execute(db);
      await sql`drop index messages_unlinked`.execute(db);
      await sql`
        create index messages_unlinked on messages (ts)
        where kind = 'card' and ts is not null and data->>'linkedTs' is distinct from ts
          and channel_id !~ '^[UW]'`.execute(db);
    },
  },
  '0007-effects': {
    async up(db) {
      await createEffectsTable.execute(db);
      await createEffectsIndex.execute(db);
      await sql`drop index messages_unlinked`.execute(db);
    },
  },
  '0008-edit-tokens': {
    async up(db) {
      await sql`alter table channels add edit_tokens double precision not null default 5`.execute(db);
    },
  },
  '0009-wakes': {
    async up(db) {
      await sql`create index messages_wakes on messages (subject) where kind = 'wake'`.execute(db);
      await sql`drop index messages_by_age`.execute(db);
      await sql`
        create index messages_by_age on messages (created_at)
        where kind in ('notice', 'sign-in', 'wake', 'swap', 'storm')`.execute(db);
    },
  },
  '0010-effects-by-kind': {
    async up(db) {
      await createEffectsIndexByKind.execute(db);
      await sql`drop index effects_due`.execute(db);
    },
  },
  '0011-readings': {
    async up(db) {
      await sql`
        create table readings (
          id uuid primary key default gen_random_uuid(),
          channel_id text not null references channels on delete cascade,
          bot_id text not null,
          bot_name text not null,
          integration_id text,
          created_by text not null,
          created_at timestamptz not null default clock_now(),
          unique (channel_id, bot_id)
        )`.execute(db);
      await sql`
        create table read_messages (
          seq bigint generated always as identity primary key,
          reading_id uuid not null references readings on delete cascade,
          ts text not null,
          said_at text not null,
          thread_ts text,
          alerts jsonb not null,
          permalink text,
          batch bigint,
          sent_at timestamptz,
          kept_at timestamptz not null default clock_now(),
          unique (reading_id, ts, said_at)
        )`.execute(db);
      await sql`create index read_messages_unsent on read_messages (reading_id, seq) where sent_at is null`.execute(db);
      await sql`create index read_messages_by_age on read_messages (kept_at)`.execute(db);
    },
  },
};
