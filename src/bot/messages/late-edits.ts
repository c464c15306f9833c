import { sql } from 'kysely';
import type { NewEffect } from '../../effects/new-effects.ts';
import type { EffectKind } from '../../effects/performer.ts';
import { URGENCY } from '../incident/urgency.ts';
import type { Tables } from '../tables.ts';
import { redraw } from './due.ts';
import { LATE_POST_MS } from './find-attempt.ts';
import type { Message } from './message.ts';

/** A message is edited once more when an edit without a clear response cannot arrive any more. */
export const LATE_EDIT = 'late edit';

/** Slack has no condition for edits: one that the network delayed would replace what newer ones have shown. */
export function lateEdit({ id, lease }: Message): NewEffect {
  return { kind: LATE_EDIT, subject: id, data: { lease }, replaces: true, dueInMs: LATE_POST_MS };
}

export function createLateEditKind(): EffectKind<Tables> {
  return {
    target: 'messages',
    carryOut: async ({ subject }) => ({
      outcome: {},
      also: async (tx) => {
        await redraw(sql<boolean>`id = ${subject}::uuid and ts is not null`, URGENCY.count, { digest: null }).execute(
          tx,
        );
      },
    }),
    endOf: () => null,
  };
}
