import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Open incidents get what their signals say already; what closed ones were found to be stays. */
export const incidentEndMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      alter table incidents add column signals_ended_at timestamptz(3);
      update incidents set signals_ended_at = (
        select max(ended_at) from signals where incident_id = incidents.id having bool_and(ended_at is not null))
      where closed_at is null;
    `.execute(db);
  },
};
