import type { Clock } from '../../src/runtime/clock.ts';

/** Stands still until it leaps; what falls due on the way finds the time after the leap. */
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
