import { type Kysely, sql } from 'kysely';
import { prepared } from '../../database/prepared.ts';
import type { Writes } from '../messages/message-store.ts';
import type { ActionId, ChannelId, SlackUserId } from '../slack/identifiers.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { Tables } from '../tables.ts';

declare module '../messages/message.ts' {
  interface MessageTypes {
    /** Its attempt: ids of the actions whose outcomes it reports. */
    answer: { placeId: SlackUserId; subject: SlackUserId; data: unknown; attemptData: string[] | null };
  }
}

export interface Answer {
  readonly actionId: ActionId;
  /** Where the person asked; null: unknown. */
  readonly channelId: ChannelId | null;
  readonly message: SlackMessage;
}

/** The outcomes of actions that the people who asked for them have not received yet. `settle` of the actions stores them. */
export interface AnswerStore {
  /** Oldest first. @param limit absent: all */
  list(slackUserId: SlackUserId, limit?: number): Promise<Answer[]>;
  /** Records that the outcomes of these actions were shown to their people. */
  markGiven(ids: readonly string[]): Promise<void>;
  /** Makes the direct messages with the answers to these people due at once. */
  tellDirectly(slackUserIds: readonly SlackUserId[]): Promise<void>;
}

export function createAnswerStore(db: Kysely<Tables>): AnswerStore {
  return {
    async list(slackUserId, limit = Number.MAX_SAFE_INTEGER) {
      const rows = await db
        .selectFrom('actions')
        .select(['id', 'channel_id', 'answer'])
        .where('slack_user_id', '=', slackUserId)
        .where('answer', 'is not', null)
        .orderBy('settled_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.flatMap(({ id, channel_id: channelId, answer }) =>
        answer === null ? [] : [{ actionId: id, channelId, message: answer }],
      );
    },

    async markGiven(ids) {
      await db.transaction().execute(async (tx) => {
        // Locks the messages first, so that the deletion sees answers that are stored at the same time.
        const { rows } = await sql<{ id: ActionId }>`
          ${prepared('answered')}
          with answered as (
            update actions set answer = null where id = any(${ids}::uuid[]) returning slack_user_id
          )
          select messages.id from messages join answered on subject = answered.slack_user_id
          where kind = 'answer' and leased_until is null and attempt_id is null
          for update of messages`.execute(tx);
        await sql`
          ${prepared('drop-answer')}
          delete from messages
          where id = any(${rows.map((row) => row.id)}::uuid[]) and not exists (
            select from actions where slack_user_id = subject and answer is not null)`.execute(tx);
      });
    },

    async tellDirectly(slackUserIds) {
      await sql`
        update messages set retry_at = null
        where kind = 'answer' and subject = any(${slackUserIds}::text[]) and failures = 0`.execute(db);
    },
  };
}

/** Records the answers of a direct message, together with its confirmation. */
export function recordAnswered(ids: readonly string[]): Writes {
  return async (tx) => {
    await tx.updateTable('actions').set({ answer: null }).where('id', '=', sql<string>`any(${ids}::uuid[])`).execute();
  };
}
