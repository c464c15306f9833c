/**
 * Reads the time and sets timers. Parts take one as a dependency, so that tests can move it. Timeouts of single calls,
 * connections and shutdown use the machine's own timers (`timeout.ts`).
 */
export interface Clock {
  readonly now: () => Date;
  /** Runs `work` once after `ms` milliseconds and returns its cancellation. The timer does not keep the process alive. */
  after(ms: number, work: () => void): () => void;
}

/** @param now replaces the reading of the time; timers still run on the machine's clock */
export function createRealClock(now: () => Date = () => new Date()): Clock {
  return {
    now,
    after(ms, work) {
      const timer = setTimeout(work, ms).unref();
      return () => clearTimeout(timer);
    },
  };
}

/** Resolves early when `signal` is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      return resolve();
    }
    const wake = (): void => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(ms, wake);
    signal?.addEventListener('abort', wake, { once: true });
  });
}

/**
 * A stored time may be slightly ahead of a reader that began earlier, for example because it waited for a lock. A larger
 * lead means that the clock was set back.
 */
export const CLOCK_STEP_MS = 60_000;
