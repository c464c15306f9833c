import { factsOf } from '../../domain/facts.ts';
import { recordShown } from '../../store/cards.ts';
import type { Store } from '../../store/store.ts';
import { incidentCard } from '../../views/incident-card.ts';
import { whatChanged } from '../../views/what-changed.ts';
import type { MessageKind } from '../kind.ts';

/** The one message that a channel has for an incident. */
export function createCardKind(deps: {
  store: Pick<Store, 'channels' | 'incidents' | 'installation'>;
  now: () => Date;
}): MessageKind {
  const { store, now } = deps;
  return {
    lifecycle: 'kept true',
    shortestRetryMs: 1_000,

    async render(card) {
      const [known, staleSince] = await Promise.all([
        store.incidents.find(card.subject),
        store.installation.staleSince(),
      ]);
      if (known === null) {
        return null;
      }
      const content = incidentCard(known, staleSince);
      const shown = factsOf(known.incident, now());
      return {
        content,
        also(ts) {
          const isNew = card.ts !== ts || card.data.told === undefined;
          const { lines, told } = isNew ? { lines: [], told: shown } : whatChanged(card.data.told, shown);
          const isReplyDue = lines.length > 0;
          return recordShown(card, ts, { shown, told: isReplyDue ? (card.data.told ?? shown) : told, isReplyDue });
        },
      };
    },
  };
}
