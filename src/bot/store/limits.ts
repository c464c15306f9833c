import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** The calls that a card and its thread are made of; Slack limits each by itself. */
export type CardMethod = 'chat.postMessage' | 'chat.update' | 'conversations.history' | 'conversations.replies';

export interface RateLimit {
  readonly channelId: string;
  readonly method: CardMethod;
  readonly limitedAt: Date;
  readonly pausedUntil: Date;
}

/** What Slack asked us to wait for: kept in the database, so that every process and a restarted one waits too. */
export interface LimitStore {
  record(limit: RateLimit): Promise<void>;
  /** The newest, also one that is over; null: none yet. */
  last(): Promise<RateLimit | null>;
}

export function createLimitStore(db: Kysely<Tables>): LimitStore {
  return {
    async record({ channelId, method, limitedAt, pausedUntil }) {
      await db
        .insertInto('slack_limits')
        .values({ channel_id: channelId, method, limited_at: limitedAt, paused_until: pausedUntil })
        .onConflict((conflict) =>
          conflict
            .columns(['channel_id', 'method'])
            .doUpdateSet({ limited_at: limitedAt, paused_until: pausedUntil })
            .where('slack_limits.paused_until', '<', pausedUntil),
        )
        .execute();
    },

    async last() {
      const row = await db.selectFrom('slack_limits').selectAll().orderBy('limited_at', 'desc').executeTakeFirst();
      return row === undefined ? null : toLimit(row);
    },
  };
}

function toLimit(row: Tables['slack_limits']): RateLimit {
  return {
    channelId: row.channel_id,
    method: row.method,
    limitedAt: row.limited_at,
    pausedUntil: row.paused_until,
  };
}
