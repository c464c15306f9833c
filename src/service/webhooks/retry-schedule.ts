import { type Backoff, backoffMs } from '../../runtime/backoff.ts';
import { hoursToMilliseconds } from '../../runtime/dates.ts';

const BACKOFF: Backoff = { firstMs: 5_000, longestMs: 1_800_000 };

/** Pause of a receiver that is unavailable, whichever delivery is next. */
const PAUSE: Backoff = { firstMs: 1_000, longestMs: 60_000 };

/** The last attempt is made this long after the delivery was queued. It is also the longest `Retry-After` that is used. */
const GIVE_UP_MS = hoursToMilliseconds(24);

export interface FailedDelivery {
  /** Number of failed attempts, including this one. */
  readonly attempts: number;
  /** Time since the delivery was queued. */
  readonly ageMs: number;
  /** The delay that the receiver asked for; null: none. */
  readonly retryAfterMs: number | null;
}

/**
 * @param random from 0 to below 1, for the jitter
 * @returns milliseconds until the next attempt; null: that was the last one
 */
export function planRetry({ attempts, ageMs, retryAfterMs }: FailedDelivery, random: number): number | null {
  const remainingMs = GIVE_UP_MS - ageMs;
  if (remainingMs <= 0) {
    return null;
  }
  const delayMs = Math.round(backoffMs(BACKOFF, attempts, random));
  return Math.min(remainingMs, Math.max(delayMs, retryAfterMs ?? 0));
}

/**
 * @param failures attempts in a row that found the receiver unavailable; 0: none
 * @param retryAfterMs the delay that the receiver asked for, for all deliveries; null: none
 * @param random from 0 to below 1, for the jitter
 * @returns milliseconds until the next attempt to send anything to the receiver
 */
export function planPause(failures: number, retryAfterMs: number | null, random: number): number {
  const pauseMs = failures === 0 ? 0 : Math.round(backoffMs(PAUSE, failures, random));
  return Math.max(pauseMs, retryAfterMs ?? 0);
}

/**
 * Reads `Retry-After`: seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @returns milliseconds, at most a day; null: absent or invalid
 */
export function readRetryAfter(value: string | undefined, now: Date): number | null {
  const isSeconds = /^\d{1,9}$/.test(value ?? '');
  const delayMs = isSeconds ? Number(value) * 1_000 : new Date(value ?? '').getTime() - now.getTime();
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(delayMs, 0), GIVE_UP_MS);
}
