import type { Facts } from '../../domain/facts.ts';
import { recordTold } from '../../store/cards.ts';
import type { Message } from '../../store/messages.ts';
import type { Store } from '../../store/store.ts';
import { messageText } from '../../views/message.ts';
import { whatChanged } from '../../views/what-changed.ts';
import type { MessageKind } from '../kind.ts';

/** There is no such thread, or nobody may write to it. The card itself says everything anyway. */
const THREAD_CLOSED = new Set([
  'cannot_reply_to_message',
  'message_not_found',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
  'thread_not_found',
]);

/** What has changed on a card, as a reply in its thread. */
export function createReplyKind({ store }: { store: Pick<Store, 'cards'> }): MessageKind {
  async function changeSince(reply: Message) {
    const facts = await store.cards.facts(reply.subject, reply.channelId);
    if (facts === null) {
      return null;
    }
    // A repeated attempt says what it said before, because it may have arrived.
    const shown = reply.attempt === null ? facts.shown : ((reply.attemptData as Facts | null) ?? facts.shown);
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
        hasMore: reply.attempt !== null, // what came since is another reply
        also: () => recordTold(reply, told),
      };
    },

    async giveUp(reply, error) {
      const change = THREAD_CLOSED.has(error) ? await changeSince(reply) : null;
      return change === null ? null : recordTold(reply, change.told);
    },
  };
}
