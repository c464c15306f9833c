import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { URGENCY } from '../../incident/urgency.ts';
import { insertMessages } from '../../messages/insert-messages.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';

/** The page to open afterwards, and when it was asked for. */
export const SIGN_IN_DATA = z.object({ returnTo: z.string().default(''), askedAt: z.string().default('') });

declare module '../../messages/message.ts' {
  interface MessageTypes {
    /** About an event of the service. */
    'sign-in': { placeId: SlackUserId; subject: string; data: z.infer<typeof SIGN_IN_DATA>; attemptData: null };
  }
}

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
