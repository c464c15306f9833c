import type { Clock } from '../../src/runtime/clock.ts';

/** A clock that stands still until it leaps. Timers that become due during a leap see the time after it. */
export interface LeapingClock extends Clock {
  leap(ms: number): void;
}

export function createLeapingClock(start: Date): LeapingClock {
  let nowMs = start.getTime();
  const appointments = new Set<{ readonly atMs: number; readonly work: () => void }>();
  return {
    now: () => new Date(nowMs),
    after(ms, work) {
      const appointment = { atMs: nowMs + ms, work };
      appointments.add(appointment);
      return () => appointments.delete(appointment);
    },
    leap(ms) {
      nowMs += ms;
      const due = [...appointments].filter(({ atMs }) => atMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs);
      for (const appointment of due) {
        if (appointments.delete(appointment)) {
          appointment.work();
        }
      }
    },
  };
}
