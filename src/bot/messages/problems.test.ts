import { expect, it } from 'vitest';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { createProblems } from './problems.ts';
import type { Refusal } from './refusals.ts';

const CLOSED: Refusal = { of: 'channel', advice: 'unarchive it' };
const REFUSED: Refusal = { of: 'message', advice: 'Slack refuses a card' };
const TOKEN: Refusal = { of: 'token', advice: 'install the app again' };
const MINUTE_MS = 60_000;

it('a problem lasts while it is met again, and is over for a process that has nothing left to try', () => {
  const clock = createTestClock();
  const problems = createProblems(clock.now);

  problems.met('C1', 'inc_1', CLOSED, MINUTE_MS);
  clock.advance(4 * MINUTE_MS);
  problems.met('C1', 'inc_1', CLOSED, MINUTE_MS);
  clock.advance(4 * MINUTE_MS);
  const during = problems.ofChannel('C1');
  clock.advance(2 * MINUTE_MS);

  expect([during, problems.ofChannel('C1')]).toEqual([CLOSED.advice, null]);
});

it('what is shown solves what kept all of the channel from it, and not what another message is refused for', () => {
  const problems = createProblems(() => new Date());
  problems.met('C1', 'inc_1', REFUSED, 15 * MINUTE_MS);
  problems.met('C1', 'inc_2', CLOSED, MINUTE_MS);
  problems.met('C1', 'inc_2', TOKEN, MINUTE_MS);

  const before = [problems.ofChannel('C1'), problems.ofToken()];
  problems.solved('C1', 'inc_2');
  const then = [problems.ofChannel('C1'), problems.ofToken()];
  problems.solved('C1', 'inc_1');

  expect(before).toEqual([CLOSED.advice, TOKEN.advice]);
  expect(then).toEqual([REFUSED.advice, null]);
  expect([problems.ofChannel('C1'), problems.ofChannel('C2')]).toEqual([null, null]);
});
