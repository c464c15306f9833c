import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { URGENCY } from '../incident/urgency.ts';
import type { IncidentId, PlaceId, SlackUserId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import { insertMessages } from './insert-messages.ts';
import type { Message } from './message.ts';
import type { Writes } from './message-store.ts';

/** Its text, in mrkdwn; in the thread of a card: the incident. */
export const NOTICE_DATA = z.object({ text: z.string().default(''), incidentId: z.string().optional() });

declare module './message.ts' {
  interface MessageTypes {
    /** About an event of the service. */
    notice: { placeId: PlaceId; subject: string; data: z.infer<typeof NOTICE_DATA>; attemptData: null };
  }
}

export interface NoticeStore {
  /**
   * Posts a text in each subscribed channel, once for each event.
   *
   * @param text in mrkdwn
   */
  post(eventId: string, text: string): Promise<void>;
  /** Tells one person by a direct message, once for each event. @param text in mrkdwn */
  tell(eventId: string, slackUserId: SlackUserId, text: string): Promise<void>;
  /**
   * Posts a text in the thread of each card of an incident, once for each event. Where the card is still to be posted, the text
   * follows it.
   *
   * @returns how many cards there are
   */
  postInThreads(eventId: string, incidentId: IncidentId, text: string): Promise<number>;
}

export function createNoticeStore(db: Kysely<Tables>): NoticeStore {
  return {
    async post(eventId, text) {
      const data = sql`${JSON.stringify({ text })}::jsonb`;
      await insertMessages(
        'notice',
        URGENCY.state,
        { channel_id: sql`channel_id`, subject: eventId, data },
        { from: sql`channels where subscribed_as is not null` },
      ).execute(db);
    },

    tell: (eventId, slackUserId, text) => tellPerson(db, eventId, slackUserId, text),

    postInThreads: (eventId, incidentId, text) => postInThreads(db, eventId, incidentId, text),
  };
}

/** See `NoticeStore.tell`. */
export async function tellPerson(
  db: Kysely<Tables>,
  eventId: string,
  slackUserId: SlackUserId,
  text: string,
): Promise<void> {
  const data = sql`${JSON.stringify({ text })}::jsonb`;
  await sql`
    with place as (
      insert into channels (channel_id) values (${slackUserId}) on conflict do nothing
    )
    ${insertMessages('notice', URGENCY.person, { channel_id: slackUserId, subject: eventId, data })}`.execute(db);
}

/** See `NoticeStore`. */
export async function postInThreads(
  db: Kysely<Tables>,
  eventId: string,
  incidentId: IncidentId,
  text: string,
): Promise<number> {
  const data = sql`${JSON.stringify({ text, incidentId })}::jsonb`;
  const posted = insertMessages(
    'notice',
    URGENCY.person,
    { channel_id: sql`channel_id`, thread_ts: sql`ts`, subject: eventId, data },
    { from: sql`cards` },
  );
  const { rows } = await sql<{ threads: number }>`
    with cards as (
      select channel_id, ts from messages
      where kind = 'card' and subject = ${incidentId} and (ts is not null or needs_redraw)
      for update
    ), posted as (
      ${posted}
    )
    select count(*)::integer as threads from cards`.execute(db);
  return rows[0]?.threads ?? 0;
}

/** Moves unposted notices to the thread of a card that was posted, or posted again. */
export function moveNotices({ subject, placeId }: Message, ts: string): Writes {
  return async (tx) => {
    await sql`
      update messages set thread_ts = ${ts}, revision = revision + 1, refusals = 0, retry_at = null, held_until = null,
        attempt_id = null, attempt_first_at = null, attempt_last_at = null, attempt_data = null
      where kind = 'notice' and channel_id = ${placeId} and data->>'incidentId' = ${subject}
        and needs_redraw and ts is null and thread_ts is distinct from ${ts}
        and not exists (
          select from messages as there
          where there.kind = 'notice' and there.channel_id = messages.channel_id
            and there.subject = messages.subject and there.thread_ts = ${ts})`.execute(tx);
  };
}
