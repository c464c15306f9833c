import { expect, it } from 'vitest';
import { createRemoteClock } from './remote-clock.ts';

const SENT = new Date('2026-01-31T08:00:00.000Z');
const after = (ms: number) => new Date(SENT.getTime() + ms);

it('is ours until it was measured, then in the middle of the first answer', () => {
  const clock = createRemoteClock(() => SENT);
  const before = [clock.skewMs(), clock.now()];

  clock.observe(after(60_000), SENT, after(100));

  expect(before).toEqual([null, SENT]);
  expect(clock.skewMs()).toBe(59_950);
  expect(clock.now()).toEqual(after(59_950));
});

it('does not jump when an answer that agrees with it was slow', () => {
  const clock = createRemoteClock(() => SENT);
  clock.observe(after(60_001), SENT, after(2));

  clock.observe(after(60_001), SENT, after(900));

  expect(clock.skewMs()).toBe(60_000);
});

it('follows an answer that contradicts it, and ignores one without a time', () => {
  const clock = createRemoteClock(() => SENT);
  clock.observe(after(60_000), SENT, SENT);

  clock.observe(new Date(Number.NaN), SENT, SENT);
  const kept = clock.skewMs();
  clock.observe(after(1_000), SENT, SENT);

  expect([kept, clock.skewMs()]).toEqual([60_000, 1_000]);
});
