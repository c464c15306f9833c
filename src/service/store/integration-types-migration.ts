import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** `secret` signs what a webhook sends, so it has to be kept as it is; an ingest key is kept as a hash, as every API key. */
export const integrationTypesMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      alter table integrations
        add column secret text,
        add column last_used_at timestamptz(3),
        add column last_error text,
        add column disabled_at timestamptz(3);

      alter table api_keys
        add column integration_id text,
        drop constraint api_keys_scope_check,
        add constraint api_keys_scope_check check (scope in ('read-only', 'read-write', 'ingest'));
      create index api_keys_integration on api_keys (integration_id) where integration_id is not null;
    `.execute(db);
  },
};
