import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { LINE_EVENT_TYPE } from '../domain/ids.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import type { SlackApi } from '../slack/methods.ts';
import { QUIET } from '../slack/people.ts';
import type { Thread, ThreadStore } from '../store/threads.ts';
import { messageText } from '../views/message.ts';
import { whatChanged } from '../views/what-changed.ts';
import { createFindAttempt } from './find-attempt.ts';
import type { LimitedCall } from './limited-calls.ts';

/** There is no thread there, or nobody may write to it: the card says it all anyway. */
const THREAD_CLOSED = new Set([
  'cannot_reply_to_message',
  'message_not_found',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
  'thread_not_found',
]);

/** Writes into the thread of a card what has changed since the last line there. */
export interface Teller {
  /** Throws what Slack's client throws; the thread is still leased then. */
  tell(thread: Thread): Promise<void>;
}

export function createTeller(deps: {
  api: SlackApi;
  threads: ThreadStore;
  limitedCall: LimitedCall;
  spend: (channelId: string) => void;
  logger: Logger;
  now: () => Date;
}): Teller {
  const { api, threads, limitedCall, logger } = deps;
  const findAttempt = createFindAttempt();

  async function isPosted({ attempt, channelId, cardTs }: Thread): Promise<boolean> {
    if (attempt === null) {
      return false;
    }
    const left = await limitedCall('conversations.replies', channelId, () =>
      findAttempt(attempt, (range) => api.conversations.replies({ channel: channelId, ts: cardTs, ...range })),
    );
    return left !== null;
  }

  async function post(thread: Thread, text: string): Promise<void> {
    const { attempt, channelId, cardTs, incidentId } = thread;
    const lastAt = deps.now();
    const mine = { ...(attempt ?? { id: randomUUID(), at: lastAt, facts: thread.shown }), lastAt };
    if (!(await threads.beginAttempt(thread, mine))) {
      return;
    }
    deps.spend(channelId);
    const metadata = {
      event_type: LINE_EVENT_TYPE,
      event_payload: { incident_id: incidentId, attempt_id: mine.id },
    };
    try {
      await limitedCall('chat.postMessage', channelId, () =>
        api.chat.postMessage({ channel: channelId, thread_ts: cardTs, text, ...QUIET, metadata }),
      );
    } catch (error) {
      // An earlier attempt may still arrive, so only one that began here is over.
      if (attempt === null && classifySlackFailure(error).kind !== 'ambiguous') {
        await threads.endAttempt(thread);
      }
      throw error;
    }
  }

  async function postOnce(thread: Thread, text: string): Promise<void> {
    try {
      if (!(await isPosted(thread))) {
        await post(thread, text);
      }
    } catch (error) {
      const reason = classifySlackFailure(error).error;
      if (!THREAD_CLOSED.has(reason)) {
        throw error;
      }
      logger.info({ incidentId: thread.incidentId, channelId: thread.channelId, reason }, 'a card takes no replies');
    }
  }

  return {
    async tell(thread) {
      // An attempt is repeated as it was, for it may have arrived; what came since is the next line.
      const { lines, told } = whatChanged(thread.told, thread.attempt?.facts ?? thread.shown);
      if (lines.length > 0) {
        await postOnce(thread, messageText(lines));
      }
      await threads.markTold(thread, told, thread.attempt === null ? thread.shownRevision : null);
    },
  };
}
