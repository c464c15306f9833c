import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const untoldMigration: Migration = {
  async up(db) {
    await sql`alter table pending_actions add column untold jsonb`.execute(db);
    await sql`create index pending_actions_untold on pending_actions (settled_at) where untold is not null`.execute(db);
  },
};
