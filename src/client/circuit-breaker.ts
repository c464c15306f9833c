const FAILURES_TO_OPEN = 3;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Spares people the wait for a service that is away: after three calls in a row that it did not answer, calls
 * fail at once for a while. Then one is let through; its end decides for the others.
 */
export interface CircuitBreaker {
  /** Whether a call may be made now. Who gets a yes must tell how it ended. */
  admit(): boolean;
  ended(isAnswered: boolean): void;
}

/** @param now in milliseconds, of any origin */
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
        return; // it was under way with those that are counted: one outage, not a longer one
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
