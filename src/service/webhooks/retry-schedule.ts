import { addHours } from 'date-fns/addHours';
import { addMilliseconds } from 'date-fns/addMilliseconds';
import { max } from 'date-fns/max';
import { min } from 'date-fns/min';

const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 1_800_000;
const GIVE_UP_HOURS = 24;

export interface FailedDelivery {
  /** All that failed, this one included. */
  readonly attempts: number;
  readonly queuedAt: Date;
  readonly failedAt: Date;
  /** Before this the receiver wants no other attempt; null: it did not say. */
  readonly retryAfter: Date | null;
}

/**
 * From 5 s on twice as long each time up to half an hour, of which the second half is by chance, so that what failed
 * together does not come back together. The last attempt is 24 hours after the first was due.
 *
 * @param random from 0 to below 1
 * @returns null: that was the last one
 */
export function planRetry({ attempts, queuedAt, failedAt, retryAfter }: FailedDelivery, random: number): Date | null {
  const lastAt = addHours(queuedAt, GIVE_UP_HOURS);
  if (failedAt >= lastAt) {
    return null;
  }
  const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
  const retryAt = addMilliseconds(failedAt, delayMs * (0.5 + random / 2));
  return min([lastAt, max([retryAt, retryAfter ?? retryAt])]);
}

/**
 * `Retry-After`: seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @returns at most a day from now; null: absent or nonsense
 */
export function readRetryAfter(value: string | undefined, now: Date): Date | null {
  const at = /^\d{1,9}$/.test(value ?? '') ? addMilliseconds(now, Number(value) * 1_000) : new Date(value ?? '');
  return Number.isNaN(at.getTime()) ? null : min([at, addHours(now, GIVE_UP_HOURS)]);
}
