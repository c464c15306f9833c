import { type Kysely, sql } from 'kysely';
import { idOfSlackUser } from '../../contract/actor.ts';
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
        .select(['name', 'user_id', 'standing'])
        .where('slack_user_id', '=', slackUserId)
        .executeTakeFirst();
      if (row === undefined) {
        return null;
      }
      const { name, user_id: userId, standing } = row;
      return { name, userId: userId ?? idOfSlackUser(slackUserId), standing };
    },

    async save(slackUserId, { name, userId, standing }) {
      await sql`
        insert into people (slack_user_id, name, user_id, standing) values (${slackUserId}, ${name}, ${userId}, ${standing})
        on conflict (slack_user_id) do update
        set name = excluded.name, user_id = excluded.user_id, standing = excluded.standing, looked_up_at = clock_now()`.execute(
        db,
      );
    },
  };
}
