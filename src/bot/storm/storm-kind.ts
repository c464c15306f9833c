import { nextStormReminder } from '../domain/storm-reminder.ts';
import type { MessageKind } from '../messages/kind.ts';
import type { Store } from '../store/store.ts';
import { toStorm } from '../store/storm-members.ts';
import { recordStormShown } from '../store/storms.ts';
import { stormCard } from './storm-card.ts';

/** Minimum time between two edits, because the counts of a storm change constantly. */
export const EDIT_EVERY_MS = 3_000;

/** One message in place of the cards of many incidents. */
export function createStormKind(deps: {
  store: Pick<Store, 'storms' | 'installation' | 'rules'>;
  now: () => Date;
}): MessageKind<'storm'> {
  const { store, now } = deps;
  return {
    lifecycle: 'kept true',
    shortestRetryMs: 1_000,

    async render(storm) {
      const { subject, placeId, data } = storm;
      const [summary, members, rules, staleSince] = await Promise.all([
        store.storms.summary(toStorm(subject, placeId, data)),
        store.storms.open(subject),
        store.rules.ofChannel(placeId),
        store.installation.staleSince(),
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
