import type { Message } from '../domain/message.ts';
import type { MessageKind } from '../messages/kind.ts';
import { THREAD_CLOSED } from '../messages/refusals.ts';
import { recordTold } from '../store/cards.ts';
import type { Store } from '../store/store.ts';
import { messageText } from '../views/message.ts';
import { whatChanged } from './what-changed.ts';

/** A reply in the thread of a card that reports what has changed. */
export function createReplyKind({ store }: { store: Pick<Store, 'cards'> }): MessageKind<'reply'> {
  async function changeSince(reply: Message<'reply'>) {
    const facts = await store.cards.facts(reply.subject, reply.placeId);
    if (facts === null) {
      return null;
    }
    // A repeated attempt has the same content, because the first one may have arrived.
    const shown = reply.attempt === null ? facts.shown : (reply.attemptData ?? facts.shown);
    return { ...whatChanged(facts.told, shown), shown };
  }

  return {
    lifecycle: 'sent once',
    shortestRetryMs: 10_000,

    async render(reply) {
      const change = await changeSince(reply);
      if (change === null || change.lines.length === 0) {
        return null;
      }
      const { lines, told, shown } = change;
      return {
        content: { text: messageText(lines), blocks: [] },
        attemptData: shown,
        hasMore: reply.attempt !== null, // newer changes go into another reply
        also: () => recordTold(reply, told),
      };
    },

    async giveUp(reply, error) {
      const change = THREAD_CLOSED.has(error) ? await changeSince(reply) : null;
      return change === null ? null : recordTold(reply, change.told);
    },
  };
}
