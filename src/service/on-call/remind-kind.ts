import type { EffectKind } from '../../effects/performer.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { remind } from './remind.ts';

/** Rings again for an incident that was taken a while ago and still fails. What follows is a page like any other. */
export function createRemindKind(now: () => Date): EffectKind<ServiceTables> {
  return {
    target: 'pages',
    carryOut: async ({ subject }) => ({
      outcome: {},
      also: async (tx) => {
        await remind(tx, subject, now());
      },
    }),
    endOf: () => null,
  };
}
