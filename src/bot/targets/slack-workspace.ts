import type { Failure } from '../../effects/carry-out.ts';
import type { End, KeptEffect } from '../../effects/kept-effects.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import { classifySlackFailure } from '../slack/errors.ts';
import type { Tables } from '../tables.ts';

/** The target: channels, pins and bookmarks of Slack's workspace. */
export const WORKSPACE = 'slack workspace';

const RETRY = { firstMs: 1_000, longestMs: 60_000 };
/** A refused token is tried again, because an operator can set another one. */
const REFUSED_TOKEN_MS = 30_000;

/** What becomes of an effect that needs something which is not there yet: it looks ever less often. */
export function waitingFor(what: string, { failures }: KeptEffect): End<Tables> {
  return { againInMs: backoffMs(RETRY, failures + 1), error: what };
}

/** What a failed call to Slack means for its effect. */
export function failureOf(error: unknown): Failure | null {
  return classifySlackFailure(error).kind === 'ambiguous' ? 'unknown' : 'nothing done';
}

/**
 * What becomes of an effect that Slack did not take.
 *
 * @param refused what becomes of it if Slack refused it for good
 */
export function endOf(
  { failures }: KeptEffect,
  error: unknown,
  refused: (failure: { readonly error: string; readonly needed: string | null }) => End<Tables>,
): End<Tables> {
  const failure = classifySlackFailure(error);
  switch (failure.kind) {
    case 'rate-limited':
      return { againInMs: failure.retryAfterMs, error: failure.error, pausesTarget: true };
    case 'ambiguous':
      return { againInMs: backoffMs(RETRY, failures + 1), error: failure.error };
    case 'refused-token':
      return { againInMs: REFUSED_TOKEN_MS, error: failure.error, pausesTarget: true };
    case 'missing-scope':
      return refused({ error: failure.error, needed: failure.needed });
    case 'refused':
      return refused({ error: failure.error, needed: null });
    default:
      return failure satisfies never;
  }
}
