import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** `status` is null while the first request with the key is under way. */
export const idempotencyMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table idempotency_keys (
        api_key_id text not null,
        idempotency_key text not null,
        claim text not null,
        request_digest text not null,
        claimed_at timestamptz(3) not null,
        status integer,
        headers jsonb,
        body text,
        primary key (api_key_id, idempotency_key)
      );
      create index idempotency_keys_oldest on idempotency_keys (claimed_at);
    `.execute(db);
  },
};
