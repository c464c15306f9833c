import { type Kysely, sql } from 'kysely';
import { LANES } from './lanes.ts';
import type { Tables } from './tables.ts';

export interface Subscription {
  readonly channelId: string;
  /** The setting that the channel was resolved from. */
  readonly setting: string;
}

export interface SubscriptionStore {
  list(): Promise<Subscription[]>;
  /** Makes this the one subscription, to everything; the open incidents get their card in a channel that is new. */
  replace(subscription: Subscription): Promise<void>;
  clear(): Promise<void>;
}

export function createSubscriptionStore(db: Kysely<Tables>): SubscriptionStore {
  return {
    async list() {
      const rows = await db.selectFrom('subscriptions').select(['channel_id', 'setting']).execute();
      return rows.map((row) => ({ channelId: row.channel_id, setting: row.setting }));
    },

    async replace({ channelId, setting }) {
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('subscriptions').where('channel_id', '<>', channelId).execute();
        await trx
          .insertInto('subscriptions')
          .values({ channel_id: channelId, setting })
          .onConflict((conflict) => conflict.column('channel_id').doUpdateSet({ setting }))
          .execute();
        await trx
          .insertInto('cards')
          .columns(['incident_id', 'channel_id', 'desired_revision', 'lane'])
          .expression((eb) =>
            eb
              .selectFrom('incidents')
              .select([
                'incident_id',
                sql<string>`${channelId}::text`.as('channel_id'),
                'revision',
                sql<number>`${LANES.opened}::smallint`.as('lane'),
              ])
              .where('status', '=', 'open'),
          )
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      });
    },

    async clear() {
      await db.deleteFrom('subscriptions').execute();
    },
  };
}
