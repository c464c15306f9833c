/**
 * The only place where the bot learns the time and waits for it, so that a test can move it. What keeps a call, a
 * connection or a stop within its limits goes by the machine's time all the same.
 */
export interface Clock {
  readonly now: () => Date;
  /** Runs `work` once, when so many milliseconds have passed; gives what calls it off. Nothing waits for it at the end. */
  after(ms: number, work: () => void): () => void;
}

/** @param now another reading of the time; what is waited for is waited for by the machine's own timers */
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
      callOff();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const callOff = clock.after(ms, wake);
    signal?.addEventListener('abort', wake, { once: true });
  });
}
