import type { Asked } from '../../on-call/answer.ts';

/** What a call says, and a notification shows, of an answer that has arrived. */
export function saidOf({ isTest, isDrill, incidents, asksMore }: Asked): string {
  if (isTest || isDrill) {
    return 'Thank you. It works.';
  }
  if (incidents.length === 0) {
    return 'Somebody has it already.';
  }
  const more = asksMore ? ' More people are asked.' : '';
  return `You have it. ${incidents.length === 1 ? 'One incident' : `${incidents.length} incidents`}.${more}`;
}
