import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { LANES } from './lanes.ts';
import type { Tables } from './tables.ts';

/** Of `cards`: it is in its channel, or is to come there. Where nothing is subscribed any more, nothing is to come. */
export const isWanted = sql<boolean>`(
  cards.ts is not null or cards.channel_id in (select subscriptions.channel_id from subscriptions))`;

export interface Subscription {
  readonly channelId: string;
  /** The setting that the channel was resolved from. */
  readonly setting: string;
}

export interface SubscriptionStore {
  list(): Promise<Subscription[]>;
  /**
   * What is known of channels is about this workspace from now on; all of another one is forgotten, for its messages are
   * out of reach and ids may be equal.
   *
   * @returns whether it was another one before
   */
  enterWorkspace(teamId: string): Promise<boolean>;
  /** The channel is there no more, with all that was posted in it. */
  forget(channelId: string): Promise<void>;
  /**
   * Makes this the one subscription, to everything; the open incidents get their card in a channel that is new. In the
   * former one, what was posted is kept true, and nothing new is posted.
   */
  replace(subscription: Subscription): Promise<void>;
  clear(): Promise<void>;
}

export function createSubscriptionStore(db: Kysely<Tables>): SubscriptionStore {
  return {
    async list() {
      const rows = await db.selectFrom('subscriptions').select(['channel_id', 'setting']).execute();
      return rows.map((row) => ({ channelId: row.channel_id, setting: row.setting }));
    },

    enterWorkspace: (teamId) =>
      db.transaction().execute(async (trx) => {
        const before = await trx.selectFrom('workspace').select('team_id').forUpdate().executeTakeFirst();
        if (before?.team_id === teamId) {
          return false;
        }
        await trx
          .insertInto('workspace')
          .values({ team_id: teamId })
          .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ team_id: teamId }))
          .execute();
        if (before === undefined) {
          return false;
        }
        await trx.deleteFrom('subscriptions').execute();
        await forgetMessages(trx, sql`true`);
        return true;
      }),

    async forget(channelId) {
      await db.transaction().execute((trx) => forgetMessages(trx, sql`channel_id = ${channelId}`));
    },

    async replace({ channelId, setting }) {
      await db.transaction().execute(async (trx) => {
        // An incident that comes meanwhile waits, and finds the new channel.
        await sql`lock table incidents in exclusive mode`.execute(trx);
        await dropUnposted(trx, channelId);
        await trx.deleteFrom('subscriptions').where('channel_id', '<>', channelId).execute();
        await trx
          .insertInto('subscriptions')
          .values({ channel_id: channelId, setting })
          .onConflict((conflict) => conflict.column('channel_id').doUpdateSet({ setting }))
          .execute();
        await settleStorms(trx);
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
              .where('status', '=', 'open')
              .where('is_gone', '=', false),
          )
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      });
    },

    async clear() {
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('subscriptions').execute();
        await settleStorms(trx);
      });
    },
  };
}

async function forgetMessages(trx: Transaction<Tables>, where: RawBuilder<unknown>): Promise<void> {
  for (const table of ['threads', 'cards', 'storms', 'audits', 'slack_limits'] as const) {
    await sql`delete from ${sql.table(table)} where ${where}`.execute(trx);
  }
}

/** What was left unposted in a channel that was subscribed before is old by now. */
async function dropUnposted(trx: Transaction<Tables>, channelId: string): Promise<void> {
  await sql`
    with old as (
      select incident_id, channel_id from cards
      where channel_id = ${channelId} and ts is null and attempt_id is null
        and channel_id not in (select channel_id from subscriptions)
    ), old_threads as (
      delete from threads using old
      where threads.incident_id = old.incident_id and threads.channel_id = old.channel_id
    )
    delete from cards using old
    where cards.incident_id = old.incident_id and cards.channel_id = old.channel_id`.execute(trx);
}

/** The storms of channels that are not subscribed stay as they are shown. */
async function settleStorms(trx: Transaction<Tables>): Promise<void> {
  await sql`
    update storms
    set calm_at = coalesce(calm_at, now()), ended_at = coalesce(ended_at, now()), settled_at = now()
    where settled_at is null and channel_id not in (select channel_id from subscriptions)`.execute(trx);
}
