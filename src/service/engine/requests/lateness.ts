import { FADE_LATENESS, LATE_SHARE, WAIT_SLOTS } from './constants.ts';

/**
 * How long after its entry the rest of a trace arrives. A Collector sends the spans together. Services that export by
 * themselves, each every few seconds, need a wait. Counts fade, so a sender that becomes late is noticed within a few
 * traces.
 */
export interface Lateness {
  traces: number;
  /** Number of traces with a span or line that came at least one slot later, and at least two slots later. */
  readonly late: [number, number];
}

/** Unknown senders may be late: it takes about 80 traces to trust one. */
export function createLateness(): Lateness {
  return { traces: 0, late: [1, 1] };
}

/** @param lateness undefined: nothing is known */
export function slotsToWait(lateness: Lateness | undefined): number {
  if (lateness === undefined) {
    return WAIT_SLOTS;
  }
  const { traces, late } = lateness;
  const isLate = (count: number) => count > LATE_SHARE * traces;
  return isLate(late[1]) ? WAIT_SLOTS : isLate(late[0]) ? 1 : 0;
}

/** Counts a trace that is judged now. */
export function noteTrace(lateness: Lateness, lateSlots: number): void {
  lateness.traces = FADE_LATENESS * lateness.traces + 1;
  for (const index of [0, 1] as const) {
    lateness.late[index] = FADE_LATENESS * lateness.late[index] + (lateSlots > index ? 1 : 0);
  }
}

/**
 * Counts a trace with spans that came after it was judged. Each trace counts once.
 *
 * @param known lateness of the trace before, in slots
 * @returns lateness of the trace now, in slots
 */
export function noteLate(lateness: Lateness | undefined, known: number, lateSlots: number): number {
  for (const index of [0, 1] as const) {
    if (lateness !== undefined && lateSlots > index && known <= index) {
      lateness.late[index] += 1;
    }
  }
  return Math.max(known, lateSlots);
}
