import type { Clock } from '../../src/runtime/clock.ts';

/** The machine's clock with an offset that a test can change. What waits by it does not wait for the time that is skipped. */
export interface TestClock extends Clock {
  advance(ms: number): void;
  /** Like `advance`, but what waits goes on waiting until `wake` is called, or its time has really passed. */
  skip(ms: number): void;
  wake(): void;
}

interface Waiting {
  readonly work: () => void;
  /** By the machine's clock. */
  atMs: number;
  timer: NodeJS.Timeout;
}

export function createTestClock(startsAheadMs = 0): TestClock {
  let aheadMs = startsAheadMs;
  let notTold = 0;
  const waiting = new Set<Waiting>();

  const clock: TestClock = {
    now: () => new Date(Date.now() + aheadMs),
    after(ms, work) {
      const each: Waiting = { work, atMs: performance.now() + ms, timer: setTimeout(() => run(each), ms).unref() };
      waiting.add(each);
      return () => {
        clearTimeout(each.timer);
        waiting.delete(each);
      };
    },
    advance(ms) {
      clock.skip(ms);
      clock.wake();
    },
    skip(ms) {
      aheadMs += ms;
      notTold += ms;
    },
    wake() {
      for (const each of waiting) {
        clearTimeout(each.timer);
        each.atMs -= Math.max(0, notTold); // a clock that is set back keeps nobody waiting
        each.timer = setTimeout(() => run(each), Math.max(0, each.atMs - performance.now())).unref();
      }
      notTold = 0;
    },
  };

  function run(each: Waiting): void {
    waiting.delete(each);
    each.work();
  }

  return clock;
}
