import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** When each channel is compared with what we know of it. */
export interface AuditStore {
  /** @returns whether the channel is due, for one process only; a channel seen for the first time is due after `firstMs` */
  claim(channelId: string, now: Date, timing: { everyMs: number; firstMs: number }): Promise<boolean>;
  /** Something may have gone wrong there: not later than `at`. */
  request(channelId: string, at: Date): Promise<void>;
}

export function createAuditStore(db: Kysely<Tables>): AuditStore {
  return {
    async claim(channelId, now, { everyMs, firstMs }) {
      const { rows } = await sql<{ is_due: boolean }>`
        insert into audits (channel_id, next_at, audited_at)
        values (${channelId}, ${new Date(now.getTime() + firstMs)}, null)
        on conflict (channel_id) do update
        set next_at = ${new Date(now.getTime() + everyMs)}, audited_at = ${now}
        where audits.next_at <= ${now}
        returning audited_at is not null as is_due`.execute(db);
      return rows[0]?.is_due ?? false;
    },

    async request(channelId, at) {
      await db
        .insertInto('audits')
        .values({ channel_id: channelId, next_at: at, audited_at: null })
        .onConflict((conflict) =>
          conflict.column('channel_id').doUpdateSet({ next_at: at }).where('audits.next_at', '>', at),
        )
        .execute();
    },
  };
}
