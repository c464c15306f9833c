import { setImmediate } from 'node:timers/promises';

/**
 * The only place where local Slack learns the time and waits for it, so that a test can move it. What keeps a real
 * connection or file in order (pings, heartbeats, drains, debounced writes) goes by the machine's time all the same.
 */
export interface Clock {
  readonly now: () => Date;
  /** Runs `work` once, when so many milliseconds have passed; gives what calls it off. */
  after(ms: number, work: () => void | Promise<void>): () => void;
}

/** @param now another reading of the time; what is waited for is waited for by the machine's own timers */
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
   * Moves the time on, and runs what falls due on the way, each at its moment, in order, one after the other. Work that
   * waits for this clock in its turn must not be awaited by it.
   */
  advance(ms: number): Promise<void>;
}

interface Appointment {
  readonly atMs: number;
  readonly work: () => void | Promise<void>;
}

/** Stands still until it is told to advance. */
export function createVirtualClock(start: Date): VirtualClock {
  let nowMs = start.getTime();
  const appointments = new Set<Appointment>();

  /** Of two at one moment, the one that was made first. */
  function nextUntil(untilMs: number): Appointment | null {
    const due = [...appointments].filter(({ atMs }) => atMs <= untilMs);
    return due.toSorted((one, other) => one.atMs - other.atMs)[0] ?? null;
  }

  return {
    now: () => new Date(nowMs),
    after(ms, work) {
      const appointment = { atMs: nowMs + ms, work };
      appointments.add(appointment);
      return () => appointments.delete(appointment);
    },
    async advance(ms) {
      await setImmediate(); // what is under way makes its appointments first
      const untilMs = nowMs + ms;
      for (let next = nextUntil(untilMs); next !== null; next = nextUntil(untilMs)) {
        appointments.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        await next.work();
        await setImmediate(); // what waited for it goes on before the time does
      }
      nowMs = untilMs;
    },
  };
}
