import { subHours } from 'date-fns/subHours';
import { subMilliseconds } from 'date-fns/subMilliseconds';
import { lastWeekdayAt, nextWeekdayAt } from '../domain/quiet-hours.ts';
import { matchesFilter } from '../domain/rule.ts';
import type { MessageKind } from '../messages/kind.ts';
import { recordHandover } from '../store/rules.ts';
import type { Store } from '../store/store.ts';
import { handoverMessage } from './handover-view.ts';
import { shiftOf } from './shift.ts';

/** A handover that could not be posted for so long is left out. */
const LATEST_HOURS = 4;

/** The summary that a rule asks for on each weekday. Its message is held until the next one is due. */
export function createHandoverKind(deps: {
  store: Pick<Store, 'incidents' | 'rules'>;
  now: () => Date;
}): MessageKind<'handover'> {
  const { store, now } = deps;
  return {
    lifecycle: 'sent once',
    shortestRetryMs: 5_000,

    async render(message) {
      const rule = await store.rules.find(message.subject);
      if (rule === null || rule.handover === null) {
        return null;
      }
      const { at, timeZone } = rule.handover;
      const dueAt = lastWeekdayAt(at, timeZone, now());
      const isSent = message.data.sentFor !== undefined && new Date(message.data.sentFor) >= dueAt;
      const isMissed = dueAt <= rule.changedAt || dueAt < subHours(now(), LATEST_HOURS);
      if (message.attempt === null && (isSent || isMissed)) {
        return { heldUntil: nextWeekdayAt(at, timeZone, now()) };
      }
      const since = lastWeekdayAt(at, timeZone, subMilliseconds(dueAt, 1));
      const incidents = await store.incidents.since(since);
      return {
        content: handoverMessage(
          shiftOf(
            incidents.filter((incident) => matchesFilter(rule.filter, incident)),
            { from: since, to: dueAt },
          ),
        ),
        hasMore: true,
        also: () => recordHandover(message, dueAt),
      };
    },
  };
}
