import type { NewEffect } from '../../../effects/new-effects.ts';

export const GAPS_KIND = 'schedule-gaps';

/** The one effect that looks for the gaps of all schedules. A migration makes it, and it is never over. */
export const GAPS_EFFECT: Pick<NewEffect, 'kind' | 'subject'> = { kind: GAPS_KIND, subject: 'all' };
