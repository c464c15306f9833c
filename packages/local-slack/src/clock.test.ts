import { expect, it } from 'vitest';
import { createVirtualClock } from './clock.ts';

const START = new Date('2026-03-01T12:00:00Z');

it('stands still until it is advanced', async () => {
  const clock = createVirtualClock(START);

  await clock.advance(1_500);

  expect(clock.now()).toEqual(new Date('2026-03-01T12:00:01.500Z'));
});

it('runs what falls due in order, each at its moment, what is made on the way included', async () => {
  const clock = createVirtualClock(START);
  const ran: string[] = [];
  const note = (name: string): void => void ran.push(`${name} ${clock.now().getTime() - START.getTime()}`);
  clock.after(200, () => note('second'));
  clock.after(100, async () => {
    await Promise.resolve();
    note('first');
    clock.after(50, () => note('between'));
  });
  clock.after(200, () => note('third'));
  clock.after(201, () => note('too late'));

  await clock.advance(200);

  expect(ran).toEqual(['first 100', 'between 150', 'second 200', 'third 200']);
});

it('runs nothing that was called off', async () => {
  const clock = createVirtualClock(START);
  const ran: string[] = [];
  const cancel = clock.after(100, () => void ran.push('called off'));
  clock.after(50, cancel);

  await clock.advance(1_000);

  expect(ran).toEqual([]);
});
