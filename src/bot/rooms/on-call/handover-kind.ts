import type { ServiceClient } from '../../../client/service-client.ts';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { failureOf } from '../../actions/service-failure.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { byUrgency } from '../../incident/severity.ts';
import type { NoticeStore } from '../../messages/notices.ts';
import type { Tables } from '../../tables.ts';
import { handoverText } from './oncall-view.ts';

/** A direct message before a turn begins. The subject is the schedule, the detail when the turn begins. */
export const HANDOVER = 'on-call handover';
export const HANDOVER_MINUTES = 15;

/** Whoever is next by then is told, so a swap or an override meanwhile counts. */
export function createHandoverKind(deps: {
  readonly service: Pick<ServiceClient, 'findPerson' | 'listSchedules'>;
  readonly store: { readonly incidents: IncidentStore; readonly notices: NoticeStore };
  readonly onChanged: () => void;
  readonly now: () => Date;
}): EffectKind<Tables> {
  const { service, store, now } = deps;
  return createKind<Tables, never>({
    target: 'incident service',
    effectOf: ({ subject, detail: from }) => ({
      async look() {
        const schedule = (await service.listSchedules()).find(({ id }) => id === subject);
        const next = schedule?.next?.from === from ? schedule.next.person : null;
        const person = next === null ? null : await service.findPerson(next.id);
        if (schedule === undefined || !person?.slack_user_id || new Date(from) <= now()) {
          return { over: { outcome: { isTold: false } } };
        }
        const open = (await store.incidents.listOpen(null)).toSorted(byUrgency(now()));
        const text = handoverText(schedule, from, open);
        await store.notices.tell(`handover ${subject} ${from}`, person.slack_user_id, text);
        deps.onChanged();
        return { over: { outcome: { isTold: true } } };
      },
      call: async (never) => never,
      failureOf,
    }),
    endOf: () => null,
  });
}
