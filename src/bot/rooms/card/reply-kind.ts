import { messageText } from '../../blocks/message.ts';
import { byMention } from '../../blocks/people-words.ts';
import type { MessageKind } from '../../messages/kind.ts';
import { NOTHING_STORED } from '../../messages/kind.ts';
import type { Message } from '../../messages/message.ts';
import { THREAD_CLOSED } from '../../messages/refusals.ts';
import type { ChannelId, IncidentId } from '../../slack/identifiers.ts';
import type { PeopleStore } from '../../slack/people-store.ts';
import type { CardStore } from './cards.ts';
import { recordTold } from './cards.ts';
import { type Facts, STORED_FACTS } from './facts.ts';
import { whatChanged } from './what-changed.ts';

declare module '../../messages/message.ts' {
  interface MessageTypes {
    reply: { placeId: ChannelId; subject: IncidentId; data: unknown; attemptData: Facts | null };
  }
}

/** A reply in the thread of a card that reports what has changed. */
export function createReplyKind({
  store,
}: {
  store: { readonly cards: CardStore; readonly people: PeopleStore };
}): MessageKind<'reply'> {
  async function changeSince(reply: Message<'reply'>) {
    const facts = await store.cards.facts(reply.subject, reply.placeId);
    if (facts === null) {
      return null;
    }
    // A repeated attempt has the same content, because the first one may have arrived.
    const shown = reply.attempt === null ? facts.shown : (reply.attemptData ?? facts.shown);
    const replaced = [facts.told.lead, facts.told.communications].filter((name) => name != null);
    const who = byMention(replaced.length === 0 ? [] : await store.people.named(replaced));
    return { ...whatChanged(facts.told, shown, who), shown };
  }

  return {
    lifecycle: 'sent once',
    shownAs: { subjectField: 'incident_id' },
    data: NOTHING_STORED,
    attemptData: STORED_FACTS,
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
