import { addMilliseconds } from '../../runtime/dates.ts';
import { messageText } from '../blocks/message.ts';
import { isPerson } from '../slack/identifiers.ts';
import { LONGEST_HOLD_MS } from './due.ts';
import type { MessageKind } from './kind.ts';
import { deleteMessage } from './message-store.ts';
import { NOTICE_DATA } from './notices.ts';
import { MAX_REFUSALS, THREAD_CLOSED } from './refusals.ts';

/**
 * A message that never changes: in the channel about Tocsin itself, such as a webhook that was disabled, or in the
 * thread of a card.
 */
export function createNoticeKind(now: () => Date): MessageKind<'notice'> {
  return {
    lifecycle: 'kept true',
    shownAs: { subjectField: 'event_id' },
    data: NOTICE_DATA,
    shortestRetryMs: 1_000,
    render: ({ data: { text, incidentId }, threadTs }) =>
      Promise.resolve(
        incidentId !== undefined && threadTs === null
          ? { heldUntil: addMilliseconds(now(), LONGEST_HOLD_MS) } // until its card is posted: see `moveNotices`
          : { content: { text: messageText([text]), blocks: [] } },
      ),

    giveUp(message, error) {
      // A card that was deleted has been posted again by the last refusal, if it will be.
      const isUnreachable = message.threadTs === null ? isPerson(message.placeId) : THREAD_CLOSED.has(error);
      return Promise.resolve(isUnreachable && message.refusals >= MAX_REFUSALS ? deleteMessage(message) : null);
    },
  };
}
