import { type Kysely, sql, type Transaction } from 'kysely';
import type { ChannelId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';
import { EVERYTHING } from './rule.ts';
import { changeRules } from './rules.ts';

export interface Subscription {
  readonly channelId: ChannelId;
  /** The value of INCIDENTS_CHANNEL that led to this channel. */
  readonly setting: string;
}

/** The channels of INCIDENTS_CHANNEL. */
export interface SubscriptionStore {
  list(): Promise<Subscription[]>;
  /**
   * Creates a rule for all incidents in this channel, in place of the one of the previous setting. In a new channel, open
   * incidents get their cards. Messages in the previous channel are kept up to date, but nothing new is posted there
   * unless people have made rules for it.
   */
  subscribe(subscription: Subscription): Promise<void>;
  /** Deletes the rule of INCIDENTS_CHANNEL. */
  unsubscribeAll(): Promise<void>;
  /** Deletes a channel that no longer exists, with its messages. */
  forget(channelId: ChannelId): Promise<void>;
  /** Whether messages go to the channel, or went there and it is not forgotten. */
  isKnown(channelId: ChannelId): Promise<boolean>;
}

export function createSubscriptionStore(db: Kysely<Tables>): SubscriptionStore {
  return {
    async list() {
      const { rows } = await sql<Subscription>`
        select channel_id as "channelId", subscribed_as as setting from channels
        where subscribed_as is not null`.execute(db);
      return rows;
    },

    async subscribe({ channelId, setting }) {
      await changeRules(db, async (tx) => {
        const left = await unsubscribe(tx, channelId);
        await tx
          .insertInto('channels')
          .values({ channel_id: channelId, subscribed_as: setting })
          .onConflict((conflict) => conflict.column('channel_id').doUpdateSet({ subscribed_as: setting }))
          .execute();
        await sql`
          insert into rules (channel_id, filter, escalation, is_default)
          select ${channelId}, ${JSON.stringify(EVERYTHING)}::jsonb, '[]', true
          where not exists (select from rules where channel_id = ${channelId} and is_default)`.execute(tx);
        return [channelId, ...left];
      });
    },

    async unsubscribeAll() {
      await changeRules(db, (tx) => unsubscribe(tx, null));
    },

    async forget(channelId) {
      await changeRules(db, async (tx) => {
        await tx.deleteFrom('channels').where('channel_id', '=', channelId).execute();
        return [];
      });
    },

    async isKnown(channelId) {
      const row = await db
        .selectFrom('channels')
        .select('channel_id')
        .where('channel_id', '=', channelId)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

/** @returns the channels whose rules have changed */
async function unsubscribe(tx: Transaction<Tables>, except: string | null): Promise<string[]> {
  await sql`
    update channels set subscribed_as = null where channel_id is distinct from ${except}`.execute(tx);
  const { rows } = await sql<{ channel_id: ChannelId }>`
    delete from rules where is_default and channel_id is distinct from ${except}
    returning channel_id`.execute(tx);
  return rows.map((row) => row.channel_id);
}
