import { expect, it } from 'vitest';
import type { SlackFailure } from '../slack/errors.ts';
import { type Failures, NEVER_FAILED, retryPause, toRefusal } from './refusals.ts';

function pauseSeconds(failure: SlackFailure, before: Partial<Failures> = {}): number {
  return retryPause(failure, toRefusal(failure), { ...NEVER_FAILED, ...before }) / 1_000;
}

it('waits as long as Slack asks for', () => {
  const limited: SlackFailure = { kind: 'rate-limited', error: 'ratelimited', retryAfterMs: 17_000 };

  expect(pauseSeconds(limited, { attempts: 9 })).toBe(17);
});

it('waits longer each time it gets no clear answer, up to a minute', () => {
  const unclear: SlackFailure = { kind: 'ambiguous', error: 'no answer' };

  expect([0, 1, 2, 5, 6, 5_000].map((attempts) => pauseSeconds(unclear, { attempts }))).toEqual([1, 2, 4, 32, 60, 60]);
});

it('tries a closed channel every half minute at first, and a refused token too', () => {
  const closed: SlackFailure = { kind: 'refused', error: 'is_archived' };
  const token: SlackFailure = { kind: 'refused-token', error: 'token_revoked' };

  expect([0, 4, 20].map((attempts) => pauseSeconds(closed, { attempts }))).toEqual([30, 30, 60]);
  expect(pauseSeconds(token)).toBe(30);
});

it('tries a message that Slack refuses by itself more and more seldom, however often others failed', () => {
  const refused: SlackFailure = { kind: 'refused', error: 'invalid_blocks' };

  expect([0, 1, 3, 4, 9].map((refusals) => pauseSeconds(refused, { refusals, attempts: 9 }))).toEqual([
    60, 120, 480, 900, 900,
  ]);
});
