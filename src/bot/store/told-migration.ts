import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The thread of each card: what it has told, and what the card has shown since. */
export const toldMigration: Migration = {
  async up(db) {
    await sql`
      create table threads (
        incident_id text not null,
        channel_id text not null,
        card_ts text not null,
        shown jsonb not null,
        shown_revision bigint not null,
        told jsonb not null,
        told_revision bigint not null,
        attempt_id uuid,
        attempt_at timestamptz,
        attempt_facts jsonb,
        next_attempt_at timestamptz not null default '-infinity',
        leased_until timestamptz,
        primary key (incident_id, channel_id, card_ts),
        foreign key (incident_id, channel_id) references cards
      )`.execute(db);
    await sql`
      create index threads_due on threads (channel_id, next_attempt_at)
      where told_revision < shown_revision`.execute(db);
  },
};
