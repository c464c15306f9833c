import { setImmediate } from 'node:timers/promises';

/**
 * The source of time for everything that Slack times, so that a test can control it. Housekeeping of real connections
 * and files (pings, heartbeats, drains, debounced writes) uses the machine's timers instead.
 */
export interface Clock {
  readonly now: () => Date;
  /** Runs `work` once after `ms`. Returns a function that cancels it. */
  after(ms: number, work: () => void | Promise<void>): () => void;
}

/** @param now overrides the current time only; timers stay the machine's own */
export function createRealClock(now: () => Date = () => new Date()): Clock {
  return {
    now,
    after(ms, work) {
      const timer = setTimeout(() => void work(), ms).unref();
      return () => clearTimeout(timer);
    },
  };
}

export interface VirtualClock extends Clock {
  /**
   * Moves the time forward and runs the timers that become due, each at its own time, one after the other. Awaiting
   * `advance` inside such a timer is a deadlock.
   */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly atMs: number;
  readonly work: () => void | Promise<void>;
}

/** A clock that only moves when `advance` is called. */
export function createVirtualClock(start: Date): VirtualClock {
  let nowMs = start.getTime();
  const timers = new Set<Timer>();

  /** Timers with the same due time run in the order in which they were set. */
  function nextUntil(untilMs: number): Timer | null {
    const due = [...timers].filter(({ atMs }) => atMs <= untilMs);
    return due.toSorted((one, other) => one.atMs - other.atMs)[0] ?? null;
  }

  return {
    now: () => new Date(nowMs),
    after(ms, work) {
      const timer = { atMs: nowMs + ms, work };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      await setImmediate(); // pending work may set its timers first
      const untilMs = nowMs + ms;
      for (let next = nextUntil(untilMs); next !== null; next = nextUntil(untilMs)) {
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        await next.work();
        await setImmediate(); // code that waited for this timer continues before the time moves on
      }
      nowMs = untilMs;
    },
  };
}
