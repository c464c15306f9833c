import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const webhookMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      -- The default is for the events there are, and for a process of the version before beside this one.
      alter table events add column id text not null default 'evt_' || gen_random_uuid();

      create table webhook_endpoints (
        integration_id text primary key references integrations (id) on delete cascade,
        position bigint not null,
        not_before timestamptz(3) not null
      );

      create table webhook_deliveries (
        sequence bigint not null references events (sequence) on delete cascade,
        integration_id text not null references webhook_endpoints (integration_id) on delete cascade,
        incident_id text not null,
        queued_at timestamptz(3) not null,
        attempts integer not null default 0,
        next_attempt_at timestamptz(3),
        primary key (sequence, integration_id)
      );
      create index webhook_deliveries_due on webhook_deliveries (integration_id, next_attempt_at)
        where next_attempt_at is not null;
      create index webhook_deliveries_order on webhook_deliveries (integration_id, incident_id, sequence);
    `.execute(db);
  },
};
