import type { Freshness } from '../../incident/freshness.ts';
import type { MessageKind } from '../../messages/kind.ts';
import { nextStormReminder } from '../reminders/storm-reminder.ts';
import type { RuleStore } from '../rules/rules.ts';
import { stormCard } from './storm-card.ts';
import { STORM_DATA, toStorm } from './storm-members.ts';
import type { StormStore } from './storms.ts';
import { recordStormShown } from './storms.ts';

/** Minimum time between two edits, because the counts of a storm change constantly. */
export const EDIT_EVERY_MS = 3_000;

/** One message in place of the cards of many incidents. */
export function createStormKind(deps: {
  store: { readonly storms: StormStore; readonly freshness: Freshness; readonly rules: RuleStore };
  now: () => Date;
}): MessageKind<'storm'> {
  const { store, now } = deps;
  return {
    lifecycle: 'kept true',
    shownAs: { subjectField: 'storm_id' },
    data: STORM_DATA,
    shortestRetryMs: 1_000,

    async render(storm) {
      const { subject, placeId, data } = storm;
      const [summary, members, rules, staleSince] = await Promise.all([
        store.storms.summary(toStorm(subject, placeId, data)),
        store.storms.open(subject),
        store.rules.ofChannel(placeId),
        store.freshness.staleSince(),
      ]);
      return {
        content: stormCard(summary, staleSince),
        restMs: EDIT_EVERY_MS,
        also: (ts) =>
          recordStormShown(storm, ts, (sent) => nextStormReminder({ members, rules, sent, now: now() })?.dueAt ?? null),
      };
    },
  };
}
