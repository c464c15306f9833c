import { expect, it } from 'vitest';
import { createSlackClock, describeSkew } from './slack-clock.ts';

const NOW = new Date('2026-01-31T08:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const clockWith = () => createSlackClock(() => NOW);

it('is the machine’s clock until Slack has answered', () => {
  const clock = clockWith();

  expect([clock.skewMs(), clock.now()]).toEqual([null, NOW]);
});

it('takes the Date header as the middle of its second and of the call', () => {
  const clock = clockWith();

  clock.observe('Sat, 31 Jan 2026 08:00:40 GMT', NOW, at(1_000));

  expect(clock.skewMs()).toBe(40_000);
  expect(clock.now()).toEqual(at(40_000));
});

it('follows the latest answer', () => {
  const clock = clockWith();

  clock.observe('Sat, 31 Jan 2026 09:00:00 GMT', NOW, NOW);
  clock.observe('Sat, 31 Jan 2026 07:59:59 GMT', NOW, NOW);

  expect(clock.skewMs()).toBe(-500);
});

it.each([null, '', 'yesterday'])('ignores the header %j', (header) => {
  const clock = clockWith();
  clock.observe('Sat, 31 Jan 2026 08:00:00 GMT', NOW, NOW);

  clock.observe(header, NOW, NOW);

  expect(clock.skewMs()).toBe(500);
});

it('warns of more than five seconds, on the right side', () => {
  expect([null, 0, 5_000, -5_000].map(describeSkew)).toEqual([null, null, null, null]);
  expect(describeSkew(65_000)).toContain('65 s behind Slack’s');
  expect(describeSkew(-5_600)).toContain('6 s ahead of Slack’s');
});
