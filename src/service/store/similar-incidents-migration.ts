import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const similarIncidentsMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      create index incidents_fixed on incidents (root_service, closed_at desc) where closed_at is not null;
      create index incidents_quiet on incidents (last_signal_at) where closed_at is null;
    `.execute(db);
  },
};
