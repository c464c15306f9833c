import { describe, expect, it } from 'vitest';
import { createLateness, noteLate, noteTrace, slotsToWait } from './lateness.ts';

describe('how long a trace waits for its spans', () => {
  it('is two slots while its sender is not known', () => {
    expect(slotsToWait(undefined)).toBe(2);
    expect(slotsToWait(createLateness())).toBe(2);
  });

  it.each([
    { lateSlots: 0, wait: 0 },
    { lateSlots: 1, wait: 1 },
    { lateSlots: 2, wait: 2 },
    { lateSlots: 9, wait: 2 },
  ])('is $wait when spans come $lateSlots slots after their entry', ({ lateSlots, wait }) => {
    const lateness = createLateness();

    for (let trace = 0; trace < 200; trace += 1) {
      noteTrace(lateness, lateSlots);
    }

    expect(slotsToWait(lateness)).toBe(wait);
  });

  it('grows again after a few traces that were judged too early', () => {
    const lateness = createLateness();
    for (let trace = 0; trace < 1_000; trace += 1) {
      noteTrace(lateness, 0);
    }

    for (let trace = 0; trace < 3; trace += 1) {
      noteTrace(lateness, 0);
      noteLate(lateness, noteLate(lateness, 0, 2), 2);
    }

    expect(slotsToWait(lateness)).toBe(2);
  });

  it('counts a trace once, however many of its spans are late', () => {
    const lateness = createLateness();
    noteTrace(lateness, 0);

    let known = 0;
    for (let span = 0; span < 10; span += 1) {
      known = noteLate(lateness, known, 1);
    }

    expect(lateness.late).toEqual([0.995 + 1, 0.995]);
  });
});
