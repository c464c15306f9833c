import type { Logger } from 'pino';
import { type Backoff, backoffMs } from './backoff.ts';
import type { Clock } from './clock.ts';
import { settlesWithin } from './timeout.ts';

/** A step that waits for a peer must not hold up shutdown longer than this. */
const STOP_TIMEOUT_MS = 5_000;

/** The longest delay that a timer takes. A step that returns it runs again only when it is kicked. */
export const NEVER_MS = 2 ** 31 - 1;

export interface Loop extends AsyncDisposable {
  start(): void;
  /** Runs the step at once, or right after the running one. */
  kick(): void;
}

/**
 * Runs `step` over and over, never twice at the same time. The step returns the delay before the next one, in
 * milliseconds. A step that throws runs again after a backoff; of failures in a row only the first is logged.
 * Disposing waits for the running step, `STOP_TIMEOUT_MS` at most.
 */
export function createLoop(options: {
  readonly name: string;
  readonly step: (stopping: AbortSignal) => Promise<number>;
  /** Delay before the first step; absent: it runs at once. */
  readonly firstAfterMs?: number;
  readonly retry: Backoff;
  readonly logger: Logger;
  readonly clock: Clock;
}): Loop {
  const { name, step, firstAfterMs = null, retry, logger, clock } = options;
  const stopping = new AbortController();
  let cancelTimer = (): void => {};
  let running: Promise<void> | null = null;
  let isStarted = false;
  let isKicked = false;
  let failures = 0;

  function run(): void {
    if (running !== null || stopping.signal.aborted) {
      return;
    }
    cancelTimer();
    isKicked = false;
    running = runStep().then((delayMs) => {
      running = null;
      if (isKicked) {
        run();
      } else if (!stopping.signal.aborted) {
        cancelTimer = clock.after(delayMs, run);
      }
    });
  }

  async function runStep(): Promise<number> {
    try {
      const delayMs = await step(stopping.signal);
      failures = 0;
      return delayMs;
    } catch (err) {
      failures += 1;
      if (failures === 1 && !stopping.signal.aborted) {
        logger.error({ err, loop: name }, 'a background step failed and will be retried');
      }
      return backoffMs(retry, failures);
    }
  }

  return {
    start() {
      if (isStarted) {
        return;
      }
      isStarted = true;
      if (firstAfterMs === null) {
        run();
      } else {
        cancelTimer = clock.after(firstAfterMs, run);
      }
    },
    kick() {
      isKicked = true;
      if (isStarted) {
        run();
      }
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      cancelTimer();
      await settlesWithin(STOP_TIMEOUT_MS, running ?? Promise.resolve());
    },
  };
}
