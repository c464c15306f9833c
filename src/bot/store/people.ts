import { type Kysely, sql } from 'kysely';
import type { SlackUserId } from '../domain/identifiers.ts';
import type { Person } from '../domain/person.ts';
import type { Tables } from './tables.ts';

/** Last known data of people, used while Slack does not respond. */
export interface PeopleStore {
  find(slackUserId: SlackUserId): Promise<Person | null>;
  save(slackUserId: SlackUserId, person: Person): Promise<void>;
}

export function createPeopleStore(db: Kysely<Tables>): PeopleStore {
  return {
    async find(slackUserId) {
      const row = await db
        .selectFrom('people')
        .select(['name', 'standing'])
        .where('slack_user_id', '=', slackUserId)
        .executeTakeFirst();
      return row ?? null;
    },

    async save(slackUserId, { name, standing }) {
      await sql`
        insert into people (slack_user_id, name, standing) values (${slackUserId}, ${name}, ${standing})
        on conflict (slack_user_id) do update
        set name = excluded.name, standing = excluded.standing, looked_up_at = clock_now()`.execute(db);
    },
  };
}
