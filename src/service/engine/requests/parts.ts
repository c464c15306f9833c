import { CLOCK_MS } from './constants.ts';
import type { SpanNode } from './request-tree.ts';

/**
 * The children of a span, where internal spans that did not fail are replaced by their own children: many libraries report a failure
 * on the span around them only.
 *
 * @returns in order of their end
 */
export function partsOf({ span, children }: SpanNode): readonly SpanNode[] {
  const isSeenThrough = ({ span: child }: SpanNode) =>
    !child.isFailed && child.service === span.service && (child.role === 'internal' || child.role === 'unknown');
  if (!children.some(isSeenThrough)) {
    return children;
  }
  const parts: SpanNode[] = [];
  const stack = children.toReversed();
  for (let child = stack.pop(); child !== undefined; child = stack.pop()) {
    if (isSeenThrough(child)) {
      stack.push(...child.children.toReversed());
    } else {
      parts.push(child);
    }
  }
  return parts.sort((a, b) => a.span.at - b.span.at);
}

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

/** A failed call, and the next try of the same call. */
export interface Retry {
  readonly failed: SpanNode;
  readonly retry: SpanNode;
}

/**
 * Finds the next try of each failed call.
 *
 * @param siblings calls of one caller, in order of their end
 */
export function retriesAmong(siblings: readonly SpanNode[]): Retry[] {
  if (!siblings.some(({ span }) => span.isFailed)) {
    return [];
  }
  const retries: Retry[] = [];
  for (const calls of Map.groupBy(siblings, purposeOf).values()) {
    const byStart = calls.toSorted((a, b) => a.startMs - b.startMs);
    let next = 0;
    for (const failed of calls.filter(({ span }) => span.isFailed)) {
      while ((byStart[next]?.startMs ?? Number.POSITIVE_INFINITY) < failed.span.at - CLOCK_MS) {
        next += 1;
      }
      const retry = byStart[next] === failed ? byStart[next + 1] : byStart[next];
      if (retry !== undefined) {
        retries.push({ failed, retry });
      }
    }
  }
  return retries;
}

/** What a call asks of whom, as far as its spans tell: equal for all tries. */
export function purposeOf({ span, children }: SpanNode): string {
  // Calls have poor names: `POST` may lead to several services.
  const target = span.peer ?? children.find((child) => child.span.service !== span.service)?.span.service ?? '';
  return `${span.service}\n${span.operation}\n${target}`;
}
