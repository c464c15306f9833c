import type { SpanNode } from './request-tree.ts';

/** Whether a failed call was retried with success. */
export function wasRepeated(siblings: readonly SpanNode[], node: SpanNode): boolean {
  return siblings.some((other) => !other.span.isFailed && isRetry(other, node));
}

/** Whether a call is the same as one that had failed before. A call that ran in parallel is not a retry. */
export function isRetry(call: SpanNode, failed: SpanNode): boolean {
  const { service, operation, at } = failed.span;
  return (
    call.startMs >= at - CLOCK_MS &&
    call.span.service === service &&
    call.span.operation === operation &&
    targetOf(call) === targetOf(failed)
  );
}

/** Times are rounded to milliseconds. */
export const CLOCK_MS = 1;

/** What a call asks of whom, as far as its spans tell. */
export function purposeOf(call: SpanNode): string {
  return [call.span.service, call.span.operation, targetOf(call)].join('|');
}

/** Calls have poor names: `POST` may lead to several services. */
function targetOf({ span, children }: SpanNode): string {
  return span.peer ?? children.find((child) => child.span.service !== span.service)?.span.service ?? '';
}
