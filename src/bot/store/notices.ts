import { type Kysely, sql } from 'kysely';
import type { Message } from '../domain/message.ts';
import { URGENCY } from '../domain/urgency.ts';
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
  postInThreads(eventId: string, incidentId: string, text: string): Promise<{ threads: number; pending: number }>;
  /** The thread of the card that was posted in place of the one that a notice belongs to; null: there is none. */
  findNextThread(notice: Message): Promise<string | null>;
}

export function createNoticeStore(db: Kysely<Tables>): NoticeStore {
  return {
    async post(eventId, text) {
      await sql`
        insert into messages (kind, channel_id, subject, urgency, data)
        select 'notice', channel_id, ${eventId}, ${URGENCY.state}::smallint, ${JSON.stringify({ text })}::jsonb
        from channels where subscribed_as is not null
        on conflict do nothing
      `.execute(db);
    },

    async postInThreads(eventId, incidentId, text) {
      const { rows } = await sql<{ threads: number; pending: number }>`
        with cards as (
          select channel_id, ts, needs_redraw from messages where kind = 'card' and subject = ${incidentId}
        ), posted as (
          insert into messages (kind, channel_id, thread_ts, subject, urgency, data)
          select 'notice', channel_id, ts, ${eventId}, ${URGENCY.person}::smallint, ${JSON.stringify({ text, incidentId })}::jsonb
          from cards where ts is not null
          on conflict do nothing
        )
        select count(ts)::integer as threads,
          (count(*) filter (where ts is null and needs_redraw))::integer as pending
        from cards`.execute(db);
      return rows[0] ?? { threads: 0, pending: 0 };
    },

    async findNextThread({ channelId, threadTs, data: { incidentId = '' } }) {
      const card = await db
        .selectFrom('messages')
        .select('ts')
        .where('kind', '=', 'card')
        .where('subject', '=', incidentId)
        .where('channel_id', '=', channelId)
        .executeTakeFirst();
      return card === undefined || card.ts === threadTs ? null : card.ts;
    },
  };
}

/** Moves a notice to another thread. */
export function moveNotice({ id }: Message, threadTs: string): Writes {
  return async (tx) => {
    await tx.updateTable('messages').set({ thread_ts: threadTs }).where('id', '=', id).execute();
  };
}

export function deleteNotice({ id }: Message): Writes {
  return async (tx) => {
    await tx.deleteFrom('messages').where('id', '=', id).execute();
  };
}
