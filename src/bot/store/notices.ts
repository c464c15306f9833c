import { type Kysely, sql } from 'kysely';
import type { IncidentId } from '../domain/identifiers.ts';
import type { Message } from '../domain/message.ts';
import { URGENCY } from '../domain/urgency.ts';
import { insertMessages } from './insert-messages.ts';
import type { Writes } from './messages.ts';
import type { Tables } from './tables.ts';

export interface NoticeStore {
  /**
   * Posts a text in each subscribed channel, once for each event.
   *
   * @param text in mrkdwn
   */
  post(eventId: string, text: string): Promise<void>;
  /**
   * Posts a text in the thread of each card of an incident, once for each event.
   *
   * @returns `threads`: how many there are; `pending`: cards that are still to be posted
   */
  postInThreads(eventId: string, incidentId: IncidentId, text: string): Promise<{ threads: number; pending: number }>;
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

    async postInThreads(eventId, incidentId, text) {
      const data = sql`${JSON.stringify({ text, incidentId })}::jsonb`;
      const posted = insertMessages(
        'notice',
        URGENCY.person,
        { channel_id: sql`channel_id`, thread_ts: sql`ts`, subject: eventId, data },
        { from: sql`cards where ts is not null` },
      );
      const { rows } = await sql<{ threads: number; pending: number }>`
        with cards as (
          select channel_id, ts, needs_redraw from messages where kind = 'card' and subject = ${incidentId}
        ), posted as (
          ${posted}
        )
        select count(ts)::integer as threads,
          (count(*) filter (where ts is null and needs_redraw))::integer as pending
        from cards`.execute(db);
      return rows[0] ?? { threads: 0, pending: 0 };
    },
  };
}

/** Moves unposted notices to the new thread of a card that was posted again. */
export function moveNotices({ subject, placeId }: Message, ts: string): Writes {
  return async (tx) => {
    await sql`
      update messages set thread_ts = ${ts}, revision = revision + 1, refusals = 0, retry_at = null,
        attempt_id = null, attempt_first_at = null, attempt_last_at = null, attempt_data = null
      where kind = 'notice' and channel_id = ${placeId} and data->>'incidentId' = ${subject}
        and needs_redraw and ts is null and thread_ts <> ${ts}
        and not exists (
          select from messages as there
          where there.kind = 'notice' and there.channel_id = messages.channel_id
            and there.subject = messages.subject and there.thread_ts = ${ts})`.execute(tx);
  };
}
