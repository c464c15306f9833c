import { factsOf } from '../domain/facts.ts';
import { nextReminder } from '../domain/reminder.ts';
import { holdOf, matchesFilter } from '../domain/rule.ts';
import type { MessageKind } from '../messages/kind.ts';
import { recordShown } from '../store/cards.ts';
import type { Store } from '../store/store.ts';
import { incidentCard } from '../views/incident-card.ts';
import { whatChanged } from './what-changed.ts';

/** The card of an incident in a channel. */
export function createCardKind(deps: {
  store: Pick<Store, 'incidents' | 'installation' | 'rules'>;
  now: () => Date;
  /** See `CardContent`. */
  traceUrl: string | null;
}): MessageKind<'card'> {
  const { store, now, traceUrl } = deps;
  return {
    lifecycle: 'kept true',
    shortestRetryMs: 1_000,

    async render(card) {
      const [known, staleSince, rules] = await Promise.all([
        store.incidents.find(card.subject),
        store.installation.staleSince(),
        store.rules.ofChannel(card.placeId),
      ]);
      if (known === null) {
        return null;
      }
      if (card.ts === null && card.attempt === null) {
        const matching = rules.filter(({ filter }) => matchesFilter(filter, known.incident));
        const heldUntil = holdOf(matching, known.incident, now());
        if (heldUntil !== null) {
          const { status, mute = null } = known.incident;
          return status === 'closed' && mute !== null ? null : { heldUntil };
        }
      }
      // A mention in a new message notifies the person; one that an edit adds does not.
      const named = incidentCard({ ...known, people: [], traceUrl }, staleSince);
      const content = card.ts === null ? named : incidentCard({ ...known, traceUrl }, staleSince);
      const shown = factsOf(known.incident, now());
      return {
        content,
        comparedAs: named, // a mention in place of a name is not worth an edit
        also: (ts) =>
          recordShown(
            card,
            ts,
            shown,
            (before) => {
              const { lines, told } = whatChanged(before, shown);
              return lines.length > 0 ? { told: before, isReplyDue: true } : { told, isReplyDue: false };
            },
            (reminded) => nextReminder({ ...known, ...reminded, rules, now: now() })?.dueAt ?? null,
          ),
      };
    },
  };
}
