import { keepEffects } from '../../../effects/new-effects.ts';
import { matchesFilter } from '../../../incident/rule-filter.ts';
import type { NameWaiting } from '../../actions/definition.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { MessageKind } from '../../messages/kind.ts';
import { nextReminder } from '../reminders/reminder.ts';
import { holdOf } from '../rules/rule.ts';
import type { RuleStore } from '../rules/rules.ts';
import { CARD_DATA, recordShown } from './cards.ts';
import { factsOf } from './facts.ts';
import { incidentCard } from './incident-card.ts';
import { cardLink } from './link-kind.ts';
import { whatChanged } from './what-changed.ts';

/** The card of an incident in a channel. */
export function createCardKind(deps: {
  store: { readonly incidents: IncidentStore; readonly rules: RuleStore };
  now: () => Date;
  nameWaiting: NameWaiting;
  /** See `CardContent`. */
  traceUrl: string | null;
}): MessageKind<'card'> {
  const { store, now, nameWaiting, traceUrl } = deps;
  return {
    lifecycle: 'kept true',
    shownAs: { subjectField: 'incident_id' },
    data: CARD_DATA,
    shortestRetryMs: 1_000,

    async render(card) {
      const isNew = card.ts === null && card.attempt === null;
      const [known, rulesBefore] = await Promise.all([
        store.incidents.find(card.subject),
        isNew ? store.rules.ofChannel(card.placeId) : null,
      ]);
      if (known === null) {
        return null;
      }
      if (rulesBefore !== null) {
        const matching = rulesBefore.filter(({ filter }) => matchesFilter(filter, known.incident));
        const heldUntil = holdOf(matching, known.incident, now());
        if (heldUntil !== null) {
          const { status, mute = null } = known.incident;
          return status === 'closed' && mute !== null ? null : { heldUntil };
        }
      }
      // A mention in a new message notifies the person; one that an edit adds does not.
      const shownNow = { ...known, waiting: nameWaiting(known), traceUrl };
      const named = incidentCard({ ...shownNow, people: [] }, known.staleSince);
      const content = card.ts === null ? named : incidentCard(shownNow, known.staleSince);
      const shown = factsOf(known.incident, now());
      return {
        content,
        comparedAs: named, // a mention in place of a name is not worth an edit
        also: (ts) => async (tx, data) => {
          const rules = rulesBefore ?? (await store.rules.ofChannel(card.placeId, tx)); // an edit does not wait for them
          const record = recordShown(
            card,
            ts,
            shown,
            (before) => {
              const { lines, told } = whatChanged(before, shown);
              return lines.length > 0 ? { told: before, isReplyDue: true } : { told, isReplyDue: false };
            },
            (reminded) => nextReminder({ ...known, ...reminded, rules, now: now() })?.dueAt ?? null,
          );
          await record(tx, data);
          if (card.ts !== ts) {
            await keepEffects(tx, [cardLink(card.subject, card.placeId, ts)]);
          }
        },
      };
    },
  };
}
