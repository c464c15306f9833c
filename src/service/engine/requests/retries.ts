import type { SpanNode } from './request-tree.ts';

/** Times are rounded to milliseconds. */
export const CLOCK_MS = 1;

/**
 * Finds out which failed calls were tried again with success. A call that ran in parallel is no retry.
 *
 * @param siblings calls of one caller, those that failed included
 */
export function retriedAmong(siblings: readonly SpanNode[]): (failed: SpanNode) => boolean {
  const latestStarts = new Map<string, number>();
  for (const call of siblings) {
    if (!call.span.isFailed) {
      const key = purposeOf(call);
      latestStarts.set(key, Math.max(latestStarts.get(key) ?? call.startMs, call.startMs));
    }
  }
  return (failed) => (latestStarts.get(purposeOf(failed)) ?? Number.NEGATIVE_INFINITY) >= failed.span.at - CLOCK_MS;
}

/** A call that failed, and how long its caller paused before it tried again. */
export interface Pause {
  readonly failed: SpanNode;
  readonly ms: number;
}

/**
 * The longest pause between a failed call and its next try.
 *
 * @param siblings calls of one caller, in order of their end
 * @returns null: no failed call was tried again
 */
export function longestPause(siblings: readonly SpanNode[]): Pause | null {
  if (!siblings.some(({ span }) => span.isFailed)) {
    return null;
  }
  let longest: Pause | null = null;
  for (const calls of Map.groupBy(siblings, purposeOf).values()) {
    const byStart = calls.toSorted((a, b) => a.startMs - b.startMs);
    let next = 0;
    for (const failed of calls.filter(({ span }) => span.isFailed)) {
      while ((byStart[next]?.startMs ?? Number.POSITIVE_INFINITY) < failed.span.at - CLOCK_MS) {
        next += 1;
      }
      const retry = byStart[next] === failed ? byStart[next + 1] : byStart[next];
      const ms = retry === undefined ? Number.NEGATIVE_INFINITY : retry.startMs - failed.span.at;
      longest = retry !== undefined && (longest === null || ms > longest.ms) ? { failed, ms } : longest;
    }
  }
  return longest;
}

/** What a call asks of whom, as far as its spans tell: equal for all tries. */
export function purposeOf({ span, children }: SpanNode): string {
  // Calls have poor names: `POST` may lead to several services.
  const target = span.peer ?? children.find((child) => child.span.service !== span.service)?.span.service ?? '';
  return `${span.service}\n${span.operation}\n${target}`;
}
