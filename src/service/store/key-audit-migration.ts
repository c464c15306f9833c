import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What happened to the API keys. A row outlives its key. */
export const keyAuditMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table api_key_events (
        id bigint generated always as identity primary key,
        key_id text not null,
        type text not null check (type in ('created', 'bootstrapped', 'rotated', 'revoked')),
        actor text not null,
        successor_id text,
        occurred_at timestamptz(3) not null
      )
    `.execute(db);
  },
};
