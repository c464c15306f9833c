import { senderKey, setBounded } from '../bounded-map.ts';
import { LIMITS, TINY_SHARE } from '../constants.ts';
import { FADE_ENTRIES, FADE_LATENESS, WAIT_SLOTS } from './constants.ts';
import type { ReportedSpan } from './request-tree.ts';

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
  const isLate = (count: number) => count > TINY_SHARE * traces;
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

/**
 * By sender and service: how many traces with spans of the service had an entry when they were judged, and how many had none. Both
 * fade. They decide whether an entry is worth waiting for.
 */
export type EntryCounts = Map<string, { completed: number; orphaned: number }>;

/** Counts a trace that is judged. */
export function countEntry(counts: EntryCounts, keys: readonly string[], hasEntry: boolean): void {
  for (const key of keys) {
    const known = counts.get(key) ?? { completed: 0, orphaned: 0 };
    known.completed = known.completed * FADE_ENTRIES + (hasEntry ? 1 : 0);
    known.orphaned = known.orphaned * FADE_ENTRIES + (hasEntry ? 0 : 1);
    setBounded(counts, key, known, LIMITS.services);
  }
}

/** Counts an entry that came after its trace was judged, but soon enough to be waited for. */
export function noteLateEntry(counts: EntryCounts, keys: readonly string[]): void {
  for (const key of keys) {
    const known = counts.get(key);
    if (known !== undefined) {
      known.completed += 1;
      known.orphaned = Math.max(0, known.orphaned - 1);
    }
  }
}

/** Whether most traces that begin in this service get an entry. It comes late when it waits for a slow answer. */
export function mayEntryCome(counts: EntryCounts, spans: Iterable<ReportedSpan>): boolean {
  const known = counts.get(keyOfFirst(spans));
  return known !== undefined && known.orphaned < known.completed;
}

export function entryKeysOf(spans: Iterable<ReportedSpan>): string[] {
  return [...new Set([...spans].map(({ span, sender }) => senderKey(sender, span.service)))];
}

function keyOfFirst(spans: Iterable<ReportedSpan>): string {
  let first: ReportedSpan | null = null;
  for (const each of spans) {
    if (first === null || startOf(each) < startOf(first)) {
      first = each;
    }
  }
  return first === null ? '' : senderKey(first.sender, first.span.service);
}

function startOf({ span }: ReportedSpan): number {
  return span.at - span.durationMs;
}
