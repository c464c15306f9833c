import { NotOfferedError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import type { Schedule } from '../../../contract/on-call.ts';
import type { KeptEffects } from '../../../effects/kept-effects.ts';
import type { NewEffect } from '../../../effects/new-effects.ts';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { minutesToMilliseconds, subMinutes } from '../../../runtime/dates.ts';
import { failureOf } from '../../actions/service-failure.ts';
import type { Tables } from '../../tables.ts';
import { GROUP_KEPT, GROUP_READ } from './group-kinds.ts';
import { HANDOVER, HANDOVER_MINUTES } from './handover-kind.ts';

/** Reads who is on call now and next, and makes due what follows from it. It is never over. */
export const ON_CALL_WATCH = 'on-call watch';
export const watchEffect: NewEffect = { kind: ON_CALL_WATCH, subject: 'schedules', data: {} };

const AGAIN_MS = minutesToMilliseconds(1);
/** A service without schedules is asked again, because it may have been upgraded. */
const NOT_OFFERED_MS = minutesToMilliseconds(15);
/** A hand-over is kept once it is so near. */
const AHEAD_MS = minutesToMilliseconds(60);

export function createWatchKind({
  service,
  store,
  now,
}: {
  readonly service: Pick<ServiceClient, 'listSchedules'>;
  readonly store: { readonly effects: KeptEffects<Tables> };
  readonly now: () => Date;
}): EffectKind<Tables> {
  return createKind<Tables, never>({
    target: 'incident service',
    effectOf: () => ({
      async look() {
        try {
          await store.effects.keep(followUps(await service.listSchedules(), now()));
          return { over: { againInMs: AGAIN_MS } };
        } catch (error) {
          if (error instanceof NotOfferedError) {
            return { over: { againInMs: NOT_OFFERED_MS } };
          }
          throw error;
        }
      },
      call: async (never) => never,
      failureOf,
    }),
    endOf: () => null,
  });
}

function followUps(schedules: readonly Schedule[], now: Date): NewEffect[] {
  const effects = schedules.flatMap(({ id, slack_group: group, on_call: onCall, next }): NewEffect[] => {
    const groups: NewEffect[] =
      group?.direction === 'write'
        ? [{ kind: GROUP_KEPT, subject: group.id, data: {} }]
        : group?.direction === 'read'
          ? [{ kind: GROUP_READ, subject: id, data: {} }]
          : [];
    const from = next?.person && next.person.id !== onCall?.id ? new Date(next.from) : null;
    const aheadMs = from === null ? null : from.getTime() - now.getTime();
    const dueInMs = from === null ? 0 : Math.max(0, subMinutes(from, HANDOVER_MINUTES).getTime() - now.getTime());
    return aheadMs === null || aheadMs < 0 || aheadMs > AHEAD_MS
      ? groups
      : [...groups, { kind: HANDOVER, subject: id, detail: next?.from ?? '', data: {}, dueInMs }];
  });
  // Several schedules may go with one group.
  return [...new Map(effects.map((effect) => [`${effect.kind} ${effect.subject} ${effect.detail}`, effect])).values()];
}
