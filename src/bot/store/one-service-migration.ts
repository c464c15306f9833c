import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const isLoopback = sql<boolean>`base_url ~ '^https?://(127[.]|localhost[:/]|[[]::1[]])'`;

/**
 * The database is about the service that answered last. An embedded one was known by its address until now; its tables
 * are in the same database.
 */
export const oneServiceMigration: Migration = {
  async up(db) {
    await sql`
      delete from feed_starts where base_url <> (
        select base_url from feed_starts order by answered_at desc nulls last, watermark desc limit 1)`.execute(db);
    const embedded = await sql`
      update feed_starts set base_url = 'embedded'
      where ${isLoopback} and to_regnamespace('tocsin_service') is not null
      returning base_url`.execute(db);
    if (embedded.rows.length === 0) {
      return;
    }
    await sql`
      insert into registrations (base_url, team_id, app_id, integration_id, created_at)
      select distinct on (team_id, app_id) 'embedded', team_id, app_id, integration_id, created_at
      from registrations where ${isLoopback}
      order by team_id, app_id, created_at desc`.execute(db);
    await sql`delete from registrations where ${isLoopback}`.execute(db);
  },
};
