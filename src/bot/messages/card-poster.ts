import { createHash } from 'node:crypto';
import { CARD_EVENT_TYPE, COMMANDS } from '../domain/ids.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import type { SlackApi } from '../slack/methods.ts';
import { QUIET } from '../slack/people.ts';
import type { SlackMessage } from '../views/message.ts';
import { type Attempt, createFindAttempt } from './find-attempt.ts';

const WITHOUT_BUTTONS = `Slack did not take the buttons of this card: \`${COMMANDS.incidents} help\` says what to type instead.`;
const TOO_MUCH_FOR_SLACK = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long']);

/** The three calls to Slack that a card is made of. Each throws what Slack's client throws. */
export interface CardPoster {
  post(channelId: string, subject: CardSubject, attemptId: string, message: SlackMessage): Promise<string>;
  edit(card: { channelId: string; ts: string }, message: SlackMessage): Promise<void>;
  /** The message that an attempt has left in the channel; null: none. */
  findAttempt(channelId: string, attempt: Attempt): Promise<string | null>;
}

/** What a card shows, as its metadata names it. */
export type CardSubject = { readonly incident_id: string } | { readonly storm_id: string };

export function createCardPoster(api: SlackApi): CardPoster {
  const findAttempt = createFindAttempt();

  return {
    async post(channelId, subject, attemptId, message) {
      const metadata = {
        event_type: CARD_EVENT_TYPE,
        event_payload: { ...subject, attempt_id: attemptId },
      };
      const { ts } = await withTextAsFallback(message, (content) =>
        api.chat.postMessage({ channel: channelId, ...content, ...QUIET, metadata }),
      );
      if (ts === undefined) {
        throw new Error('Slack took a message and did not say where it is');
      }
      return ts;
    },

    async edit(card, message) {
      await withTextAsFallback(message, (content) =>
        api.chat.update({ channel: card.channelId, ts: card.ts, ...content }),
      );
    },

    findAttempt: (channelId, attempt) =>
      findAttempt(attempt, (range) => api.conversations.history({ channel: channelId, ...range })),
  };
}

export function digestOf(message: SlackMessage): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url');
}

/** Blocks that Slack refuses must not cost the message: its text says the same, and how to go on without buttons. */
async function withTextAsFallback<Result>(
  message: SlackMessage,
  send: (content: { text: string; blocks: SlackMessage['blocks'] }) => Promise<Result>,
): Promise<Result> {
  try {
    return await send({ text: message.text, blocks: message.blocks });
  } catch (error) {
    if (!TOO_MUCH_FOR_SLACK.has(classifySlackFailure(error).error)) {
      throw error;
    }
    return send({ text: `${message.text}\n${WITHOUT_BUTTONS}`, blocks: [] });
  }
}
