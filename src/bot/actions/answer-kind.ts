import type { Logger } from 'pino';
import { z } from 'zod';
import { answersInOne } from '../blocks/answer.ts';
import type { MessageKind } from '../messages/kind.ts';
import { NOTHING_STORED } from '../messages/kind.ts';
import { MAX_REFUSALS } from '../messages/refusals.ts';
import { hadNoEffect, slackErrorCode } from '../slack/errors.ts';
import type { SlackUserId } from '../slack/identifiers.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { AnswerStore } from './answers.ts';
import { type Answer, recordAnswered } from './answers.ts';

/** An answer has three blocks, and one more for each 3,000 characters of its note; a message has 50. */
const MAX_IN_ONE = 15;
/** Errors that mean the person can no longer be reached. */
const GONE = new Set(['channel_not_found', 'user_disabled', 'user_not_found', 'user_not_visible']);

/** A direct message with the outcome of actions that could not be reported at once. */
export function createAnswerKind(deps: {
  store: { readonly answers: AnswerStore };
  api: Pick<SlackApi, 'chat'>;
  logger: Logger;
}): MessageKind<'answer'> {
  const { store, api, logger } = deps;

  /**
   * Sends the answers as ephemeral messages in the channels of the requests. Those that were sent are not sent again, nor
   * those for which Slack gave no clear response.
   *
   * @returns whether all were sent
   */
  async function showWhereAsked(slackUserId: SlackUserId, answers: readonly Answer[]): Promise<boolean> {
    for (const { actionId, channelId, message } of answers) {
      try {
        const channel = channelId ?? slackUserId;
        await api.chat.postEphemeral({ channel, user: slackUserId, text: message.text, blocks: message.blocks });
      } catch (error) {
        const isRefused = hadNoEffect(error);
        logger.info(
          { slackUserId, channelId, reason: slackErrorCode(error), isRefused },
          'an ephemeral message failed',
        );
        if (isRefused) {
          return false;
        }
      }
      await store.answers.markGiven([actionId]);
    }
    return true;
  }

  return {
    lifecycle: 'sent once',
    shownAs: { subjectField: 'user_id' },
    data: NOTHING_STORED,
    attemptData: z.array(z.string()),
    shortestRetryMs: 5_000,

    async render({ subject, attempt, attemptData }) {
      const unanswered = await store.answers.list(subject, MAX_IN_ONE);
      const ids = attempt === null ? null : new Set(attemptData);
      const answers = unanswered.filter(({ actionId }) => ids?.has(actionId) ?? true);
      if (answers.length === 0) {
        return null;
      }
      const { message, included } = answersInOne(answers.map((answer) => answer.message));
      const includedIds = answers.slice(0, included).map(({ actionId }) => actionId);
      return {
        content: message,
        attemptData: includedIds,
        hasMore: included < unanswered.length,
        also: () => recordAnswered(includedIds),
      };
    },

    async giveUp({ subject, refusals }, error) {
      const answers = await store.answers.list(subject);
      if (!GONE.has(error) && !(await showWhereAsked(subject, answers)) && refusals < MAX_REFUSALS) {
        return null;
      }
      logger.warn({ slackUserId: subject, reason: error }, 'no direct message is possible; giving up on the answer');
      return recordAnswered(answers.map(({ actionId }) => actionId));
    },
  };
}
