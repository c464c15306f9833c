import { expect, it } from 'vitest';
import { createLanes } from './lanes.ts';

/** A clock whose timers run when the test says so. */
function createStoppedClock() {
  const timers = new Set<() => void>();
  return {
    now: () => new Date(0),
    after(_ms: number, work: () => void) {
      timers.add(work);
      return () => timers.delete(work);
    },
    runTimers() {
      for (const work of timers) {
        timers.delete(work);
        work();
      }
    },
  };
}

it('gives failing endpoints places of their own', () => {
  const lanes = createLanes(createStoppedClock(), () => undefined);
  const before = lanes.free('healthy');

  while (lanes.free('failing') > 0) {
    lanes.enter('failing');
  }

  expect(lanes.free('healthy')).toBe(before);
});

it('gives the places of slow endpoints to others, and those of failing ones to nobody', () => {
  const clock = createStoppedClock();
  let freed = 0;
  const lanes = createLanes(clock, () => {
    freed += 1;
  });
  const [healthy, failing] = [lanes.free('healthy'), lanes.free('failing')];
  lanes.enter('healthy');
  lanes.enter('failing');

  clock.runTimers();

  expect([lanes.free('healthy'), lanes.free('failing'), freed]).toEqual([healthy, failing - 1, 1]);
});

it('bounds the number of slow endpoints', () => {
  const clock = createStoppedClock();
  const lanes = createLanes(clock, () => undefined);
  const leaves: (() => void)[] = [];

  while (lanes.free('healthy') > 0 && leaves.length < 1_000) {
    leaves.push(lanes.enter('healthy'));
    clock.runTimers();
  }
  for (const leave of leaves) {
    leave();
  }

  expect(leaves).toHaveLength(80);
  expect(lanes.free('healthy')).toBe(16);
});
