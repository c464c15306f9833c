import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const webhookMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`
      -- The default is for the events there are, and for a process of the version before beside this one.
      alter table events add column id text not null default 'evt_' || gen_random_uuid();
    `.execute(db);
  },
};
