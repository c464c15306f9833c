import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from './clock.ts';

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
  clock: Clock;
}): Loop {
  const stopping = new AbortController();
  let callOff = (): void => {};
  let running: Promise<void> | null = null;
  let isKicked = false;

  function schedule(delayMs: number): void {
    callOff();
    callOff = options.clock.after(delayMs, run);
  }

  function run(): void {
    if (running !== null || stopping.signal.aborted) {
      return;
    }
    callOff();
    isKicked = false;
    running = once().then((delayMs) => {
      running = null;
      if (isKicked) {
        run();
      } else if (!stopping.signal.aborted) {
        schedule(delayMs);
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
      if (!isStarted) {
        isStarted = true;
        run();
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
      callOff();
      await Promise.race([running, sleep(STOP_CAP_MS, undefined, { ref: false })]);
    },
  };
}
