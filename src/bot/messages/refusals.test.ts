import { expect, it } from 'vitest';
import type { SlackFailure } from '../slack/errors.ts';
import { REFUSED_PAUSE_MS, retryDelayMs, toRefusal } from './refusals.ts';

function delaySeconds(failure: SlackFailure, before: { failures?: number; refusals?: number } = {}): number {
  return retryDelayMs(failure, toRefusal(failure), { failures: 0, refusals: 0, ...before }) / 1_000;
}

it('adds no delay to a rate limit: the pause of the call is the delay', () => {
  const limited: SlackFailure = { kind: 'rate-limited', error: 'ratelimited', retryAfterMs: 17_000 };

  expect(delaySeconds(limited, { failures: 9 })).toBe(0);
  expect(toRefusal(limited)).toBeNull();
});

it('doubles the delay with each unclear answer, up to a minute', () => {
  const unclear: SlackFailure = { kind: 'ambiguous', error: 'no answer' };

  expect([0, 1, 2, 5, 6, 5_000].map((failures) => delaySeconds(unclear, { failures }))).toEqual([1, 2, 4, 32, 60, 60]);
});

it('retries a closed channel and a refused token every half minute', () => {
  const closed: SlackFailure = { kind: 'refused', error: 'is_archived' };
  const token: SlackFailure = { kind: 'refused-token', error: 'token_revoked' };

  expect([toRefusal(closed)?.of, toRefusal(token)?.of]).toEqual(['channel', 'token']);
  expect(REFUSED_PAUSE_MS).toBe(30_000);
  expect([closed, token].map((failure) => delaySeconds(failure, { failures: 20 }))).toEqual([60, 60]);
});

it('retries a message that Slack refuses less and less often, however often other calls failed', () => {
  const refused: SlackFailure = { kind: 'refused', error: 'invalid_blocks' };

  expect(toRefusal(refused)?.of).toBe('message');
  expect([0, 1, 3, 4, 9].map((refusals) => delaySeconds(refused, { refusals, failures: 9 }))).toEqual([
    60, 120, 480, 900, 900,
  ]);
});

it('names the missing scope and the archived channel to the operator', () => {
  expect(toRefusal({ kind: 'missing-scope', error: 'missing_scope', needed: 'chat:write' })).toEqual({
    of: 'channel',
    advice: 'The bot lacks the scope chat:write: reinstall the app with the scopes of manifest.yml.',
  });
  expect(toRefusal({ kind: 'refused', error: 'is_archived' })?.advice).toContain('The channel is archived');
});
