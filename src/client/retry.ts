import { ServiceClientError, ServiceResponseError } from './errors.ts';

const MAX_ATTEMPTS = 3;
const BASE_DELAY_MS = 200;
const MAX_DELAY_MS = 2_000;

export interface RetryOptions {
  /** Remaining time of the call. */
  readonly remainingMs: () => number;
  readonly sleep: (delayMs: number) => Promise<void>;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/**
 * Retries a call while its error is `retryable`: at most three attempts, within the time limit of the call. If the
 * service asks for a longer pause than the remaining time, its error is thrown at once.
 *
 * @param call receives whether an earlier attempt may have succeeded without a response
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
        throw error; // the client is closing
      });
      mayHaveHappened ||= error.effect === 'unknown';
    }
  }
}

/** Full jitter, but at least `Retry-After`. */
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
