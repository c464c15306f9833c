import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** null: nobody said that it is over. */
export const signalEndMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table signals add column ended_at timestamptz(3)`.execute(db);
  },
};
