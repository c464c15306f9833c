import { ServiceClientError, ServiceResponseError } from './errors.ts';

const MAX_ATTEMPTS = 3;
const BASE_DELAY_MS = 200;
const MAX_DELAY_MS = 2_000;

export interface RetryOptions {
  /** How much of the call's time is left. */
  readonly remainingMs: () => number;
  readonly sleep: (delayMs: number) => Promise<void>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/**
 * Makes the call again while it fails in a way that is `retryable`, at most three times in all and never beyond the time
 * it has: when the service asks for a longer pause than that, its error is thrown at once.
 *
 * @param call is told whether an attempt before it may have done its work, unknown to us
 */
export async function callWithRetries<T>(
  call: (mayHaveHappened: boolean) => Promise<T>,
  { remainingMs, sleep, random }: RetryOptions,
): Promise<T> {
  let mayHaveHappened = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(mayHaveHappened);
    } catch (error) {
      if (!(error instanceof ServiceClientError && error.retryable) || attempt === MAX_ATTEMPTS) {
        throw error;
      }
      const delayMs = retryDelayMs(attempt, error, random);
      if (delayMs >= remainingMs()) {
        throw error;
      }
      await sleep(delayMs).catch(() => {
        throw error; // closing: nobody waits for another attempt
      });
      mayHaveHappened ||= error.outcome === 'unknown';
    }
  }
}

/** Full jitter, and never less than the service asked for. */
function retryDelayMs(attempt: number, error: ServiceClientError, random: () => number): number {
  const jitterMs = random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
  const askedSeconds = error instanceof ServiceResponseError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(askedSeconds * 1_000, jitterMs);
}

/** `Retry-After` as seconds from now: delay seconds or an HTTP date (RFC 9110, 10.2.3). null: absent or nonsense. */
export function parseRetryAfter(value: string | undefined, now: Date): number | null {
  if (value === undefined) {
    return null;
  }
  if (/^\d+(\.\d+)?$/.test(value.trim())) {
    return Number(value);
  }
  const seconds = (Date.parse(value) - now.getTime()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
