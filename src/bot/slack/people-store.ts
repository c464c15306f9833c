import type { Generated } from 'kysely';
import { type Kysely, sql } from 'kysely';
import { idOfSlackUser } from '../../contract/actor.ts';
import type { Tables } from '../tables.ts';
import type { SlackUserId } from './identifiers.ts';
import type { KnownPerson, Person, Standing } from './person.ts';

declare module '../tables.ts' {
  interface Tables {
    people: {
      slack_user_id: SlackUserId;
      name: string;
      /** null: looked up before this column was there. */
      user_id: Generated<string | null>;
      standing: Standing;
      looked_up_at: Generated<Date>;
    };
  }
}

/** Last known data of people, used while Slack does not respond. */
export interface PeopleStore {
  find(slackUserId: SlackUserId): Promise<Person | null>;
  /** Those of the names whom Slack knows. Display names are not unique, so only e-mail addresses and groups are found. */
  named(names: readonly string[]): Promise<KnownPerson[]>;
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

    async named(names) {
      const { rows } = await sql<KnownPerson>`
        select name, min(slack_user_id) as "slackUserId" from people
        where name = any(${[...names]}::text[]) and (position('@' in name) > 1 or slack_user_id like 'S%')
        group by name having count(*) = 1`.execute(db);
      return rows;
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
