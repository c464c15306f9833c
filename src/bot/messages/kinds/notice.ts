import { deleteNotice, moveNotice } from '../../store/notices.ts';
import type { Store } from '../../store/store.ts';
import { messageText } from '../../views/message.ts';
import type { MessageKind } from '../kind.ts';
import { THREAD_CLOSED } from './reply.ts';

/** About half an hour, with backoff. */
const MAX_REFUSALS = 5;

/**
 * A message in the channel about Tocsin itself, such as a webhook that was disabled, or a note in the thread of a card. It
 * never changes.
 */
export function createNoticeKind({ store }: { store: Pick<Store, 'notices'> }): MessageKind {
  return {
    lifecycle: 'kept true',
    shortestRetryMs: 1_000,
    render: ({ data: { text = '' } }) => Promise.resolve({ content: { text: messageText([text]), blocks: [] } }),

    /** If the card was deleted, its note follows in the thread of the next one. A closed incident gets no other card. */
    async giveUp(message, error) {
      if (message.threadTs === null || !THREAD_CLOSED.has(error)) {
        return null;
      }
      const next = await store.notices.findNextThread(message);
      if (next !== null) {
        return moveNotice(message, next);
      }
      return message.refusals < MAX_REFUSALS ? null : deleteNotice(message);
    },
  };
}
