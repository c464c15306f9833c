import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** A step that waits for somebody who does not answer must not hold up the stop. */
const STOP_CAP_MS = 5_000;

/** As long as a timer can wait; a kick ends it. */
export const NEVER_MS = 2 ** 31 - 1;

export interface Loop extends AsyncDisposable {
  start(): void;
  /** Steps at once, or right after the step that is running. */
  kick(): void;
}

/**
 * Runs `step` again and again, never twice at the same time. It answers how long to wait before the next; a step that
 * throws is logged and comes again after `retryMs`. Disposing waits for the step that is running, five seconds at
 * most.
 */
export function createLoop(options: {
  name: string;
  step: (stopping: AbortSignal) => Promise<number>;
  retryMs: number;
  logger: Logger;
}): Loop {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let isKicked = false;

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(run, delayMs);
  }

  function run(): void {
    if (running !== null || stopping.signal.aborted) {
      return;
    }
    clearTimeout(timer);
    isKicked = false;
    running = once().then((delayMs) => {
      running = null;
      if (!stopping.signal.aborted) {
        schedule(isKicked ? 0 : delayMs);
      }
    });
  }

  async function once(): Promise<number> {
    try {
      return await options.step(stopping.signal);
    } catch (err) {
      if (!stopping.signal.aborted) {
        options.logger.error({ err, loop: options.name }, 'a background step failed and comes again');
      }
      return options.retryMs;
    }
  }

  let isStarted = false;
  return {
    start() {
      isStarted = true;
      run();
    },
    kick() {
      isKicked = true;
      if (isStarted && running === null && !stopping.signal.aborted) {
        schedule(0);
      }
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      clearTimeout(timer);
      await Promise.race([running, sleep(STOP_CAP_MS, undefined, { ref: false })]);
    },
  };
}
