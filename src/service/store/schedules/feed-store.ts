import { type Kysely, sql } from 'kysely';
import { ON_CALL_LIMITS } from '../../../contract/on-call.ts';
import { NotFoundError, TooManyFeedsError } from '../../core/errors.ts';
import { createId, findTimeOfId } from '../../core/ids.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { createToken, hashToken } from '../shared/bearer-token.ts';
import { type Change, lockSchedule, recordChange } from './schedule-store.ts';

/** An address at which calendar programs read a schedule. Its token is a secret, of which only the hash is stored. */
export interface Feed {
  readonly id: string;
  readonly scheduleId: string;
  readonly createdBy: string;
  readonly createdAt: Date;
}

export interface FeedStore {
  /** The oldest first. */
  listFeeds(scheduleId: string): Promise<Feed[]>;
  /** @throws {NotFoundError} @throws {TooManyFeedsError} */
  addFeed(scheduleId: string, change: Change): Promise<Feed & { readonly token: string }>;
  /** @throws {NotFoundError} */
  removeFeed(id: string, change: Change): Promise<void>;
  isFeedOf(scheduleId: string, token: string): Promise<boolean>;
}

export function createFeedStore(db: Kysely<ServiceTables>): FeedStore {
  const listFeeds = async (scheduleId: string, reader = db) => {
    const { rows } = await sql<Feed>`
      select id, schedule_id as "scheduleId", created_by as "createdBy", created_at as "createdAt"
      from schedule_feeds where schedule_id = ${scheduleId} order by created_at, id
    `.execute(reader);
    return rows;
  };
  return {
    listFeeds: (scheduleId) => listFeeds(scheduleId),

    addFeed: (scheduleId, change) =>
      db.transaction().execute(async (tx) => {
        const { by: createdBy, byId, now: createdAt } = change;
        await lockSchedule(tx, scheduleId);
        if ((await listFeeds(scheduleId, tx)).length >= ON_CALL_LIMITS.feeds) {
          throw new TooManyFeedsError(ON_CALL_LIMITS.feeds);
        }
        const [id, token] = [createId('feed', createdAt), createToken()];
        await tx
          .insertInto('schedule_feeds')
          .values({
            id,
            schedule_id: scheduleId,
            token_hash: hashToken(token),
            created_by: createdBy,
            created_by_id: byId ?? null,
            created_at: createdAt,
          })
          .execute();
        await recordChange(tx, 'feed-made', scheduleId, change, null);
        return { id, scheduleId, createdBy, createdAt, token };
      }),

    removeFeed: (id, change) =>
      db.transaction().execute(async (tx) => {
        const removed =
          findTimeOfId('feed', id) &&
          (await tx.deleteFrom('schedule_feeds').where('id', '=', id).returning('schedule_id').executeTakeFirst());
        if (!removed) {
          throw new NotFoundError('feed', id);
        }
        await recordChange(tx, 'feed-revoked', removed.schedule_id, change, null);
      }),

    async isFeedOf(scheduleId, token) {
      const { rows } = await sql`
        select from schedule_feeds where schedule_id = ${scheduleId} and token_hash = ${hashToken(token)}
      `.execute(db);
      return rows.length > 0;
    },
  };
}
