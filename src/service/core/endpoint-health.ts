import { hoursToMilliseconds } from '../../runtime/dates.ts';

/** A webhook that has failed this long, without a success in between, is disabled. */
export const DISABLE_AFTER_MS = hoursToMilliseconds(24);

/** State of a webhook's receiver. Times are ages by the clock of the database. */
export interface EndpointHealth {
  /** Time since the first failure after the last success; null: the last attempt succeeded, or there was none. */
  readonly failingForMs: number | null;
  /** Attempts in a row that found the receiver unavailable. */
  readonly failures: number;
}

export interface AttemptCounts {
  readonly delivered: number;
  readonly failed: number;
  /** How many of the failed ones found the receiver unavailable. */
  readonly unavailable: number;
}

/** One success makes the receiver healthy: an event that it refuses again and again must not hold up the others. */
export function healthAfter(before: EndpointHealth, { delivered, failed, unavailable }: AttemptCounts): EndpointHealth {
  if (delivered > 0) {
    return { failingForMs: null, failures: 0 };
  }
  if (failed === 0) {
    return before;
  }
  return {
    failingForMs: before.failingForMs ?? 0,
    failures: unavailable > 0 ? before.failures + 1 : 0,
  };
}

export function shouldDisable({ failingForMs }: EndpointHealth): boolean {
  return failingForMs !== null && failingForMs >= DISABLE_AFTER_MS;
}
