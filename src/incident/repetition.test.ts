import { expect, it } from 'vitest';
import { nextTime } from './repetition.ts';

/** A Tuesday, 10:00 in Berlin. */
const NOW = new Date('2026-11-24T09:00:00Z');

it('comes back at the same time of day, also after the clocks were changed, and leaves out what has passed', () => {
  const plan = {
    startsAt: new Date('2026-10-24T20:00:00Z'), // 22:00 in summer time
    until: new Date('2026-10-24T22:00:00Z'),
    every: 'week',
    timeZone: 'Europe/Berlin',
  } as const;

  expect(nextTime(plan, plan.startsAt)?.startsAt.toISOString()).toBe('2026-10-31T21:00:00.000Z');
  expect(nextTime(plan, NOW)?.startsAt.toISOString()).toBe('2026-11-28T21:00:00.000Z');
  expect(nextTime({ ...plan, every: null }, NOW)).toBeNull();
});
