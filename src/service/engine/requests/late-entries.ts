import { senderKey, setBounded } from '../bounded-map.ts';
import { LIMITS } from '../limits.ts';
import { FADE_ENTRIES } from './constants.ts';
import type { ReportedSpan } from './request-tree.ts';

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
