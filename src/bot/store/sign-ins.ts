import { type Kysely, sql } from 'kysely';
import type { SlackUserId } from '../domain/identifiers.ts';
import { URGENCY } from '../domain/urgency.ts';
import { insertMessages } from './insert-messages.ts';
import type { Tables } from './tables.ts';

export interface SignInStore {
  /** Makes a direct message with a sign-in link due, once for each event. */
  ask(eventId: string, request: { slackUserId: SlackUserId; returnTo: string; askedAt: Date }): Promise<void>;
}

export function createSignInStore(db: Kysely<Tables>): SignInStore {
  return {
    async ask(eventId, { slackUserId, returnTo, askedAt }) {
      const data = sql`${JSON.stringify({ returnTo, askedAt: askedAt.toISOString() })}::jsonb`;
      const columns = { channel_id: slackUserId, subject: eventId, data };
      await sql`
        with place as (
          insert into channels (channel_id) values (${slackUserId}) on conflict do nothing
        )
        ${insertMessages('sign-in', URGENCY.person, columns)}`.execute(db);
    },
  };
}
