import { type Kysely, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import { URGENCY } from '../domain/urgency.ts';
import type { Tables } from './tables.ts';

/** Every process of the bot has seen an event by then. */
const KEPT_MS = 24 * 60 * 60_000;

export interface SignInStore {
  /** Makes a direct message with a sign-in link due, once for each event. */
  ask(eventId: string, request: { slackUserId: string; returnTo: string; askedAt: Date }): Promise<void>;
}

export function createSignInStore(db: Kysely<Tables>): SignInStore {
  return {
    async ask(eventId, { slackUserId, returnTo, askedAt }) {
      const data = JSON.stringify({ returnTo, askedAt: askedAt.toISOString() });
      await sql`delete from messages where kind = 'sign-in' and ts is not null and created_at < ${fromNow(-KEPT_MS)}`.execute(
        db,
      );
      await sql`
        with place as (
          insert into channels (channel_id) values (${slackUserId}) on conflict do nothing
        )
        insert into messages (kind, channel_id, subject, urgency, data)
        values ('sign-in', ${slackUserId}, ${eventId}, ${URGENCY.person}, ${data}::jsonb)
        on conflict do nothing`.execute(db);
    },
  };
}
