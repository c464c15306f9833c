import { type Kysely, sql } from 'kysely';
import { URGENCY } from '../domain/urgency.ts';
import type { Tables } from './tables.ts';

export interface NoticeStore {
  /**
   * Posts a text in each subscribed channel, once for each event.
   *
   * @param text in mrkdwn
   */
  post(eventId: string, text: string): Promise<void>;
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
  };
}
