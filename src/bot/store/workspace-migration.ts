import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which workspace the channels are of: the one that was registered last. */
export const workspaceMigration: Migration = {
  async up(db) {
    await sql`
      create table workspace (
        is_only boolean primary key default true check (is_only),
        team_id text not null
      )`.execute(db);
    await sql`
      insert into workspace (team_id)
      select team_id from registrations order by created_at desc limit 1`.execute(db);
  },
};
