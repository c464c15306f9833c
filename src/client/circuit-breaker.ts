const FAILURES_TO_OPEN = 3;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Fails calls at once while the service is down, so that people do not wait for timeouts. Opens after three consecutive
 * failures. After a pause one call is let through, and its result closes the breaker or keeps it open.
 */
export interface CircuitBreaker {
  /** Whether a call may be made now. After true, the caller must report the result. */
  admit(): boolean;
  ended(isAnswered: boolean): void;
}

/** @param now monotonic time in milliseconds */
export function createCircuitBreaker(now: () => number): CircuitBreaker {
  let failures = 0;
  let refusesUntil = 0;
  let isProbing = false;
  const isRefusing = () => failures >= FAILURES_TO_OPEN && now() < refusesUntil;

  return {
    admit() {
      if (failures < FAILURES_TO_OPEN) {
        return true;
      }
      if (isProbing || isRefusing()) {
        return false;
      }
      isProbing = true;
      return true;
    },
    ended(isAnswered) {
      if (!isAnswered && isRefusing()) {
        return; // this call was already running when the breaker opened
      }
      isProbing = false;
      failures = isAnswered ? 0 : failures + 1;
      if (failures >= FAILURES_TO_OPEN) {
        const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - FAILURES_TO_OPEN, 10));
        refusesUntil = now() + pauseMs;
      }
    },
  };
}
