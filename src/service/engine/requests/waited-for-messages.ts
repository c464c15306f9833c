import { isTakenFromQueue, type SpanNode } from './request-tree.ts';
import { CLOCK_MS } from './retries.ts';

/**
 * Takes the time that a loop waited for its next message out of its spans: a receiver that blocks until there is one is not
 * slow when few are sent. The loop goes on with the work itself once it has the message.
 *
 * @param received the entry of a request; only one that a consumer took from a queue has waited
 */
export function takeOutWaiting(received: SpanNode): void {
  const { span, parent: loop } = received;
  if (!isTakenFromQueue(span) || loop === null || !isStepOf(loop, received) || !worksAfter(loop, received)) {
    return;
  }
  received.startMs = span.at;
  received.span = { ...span, durationMs: 0 };
  loop.startMs = span.at;
  loop.span = { ...loop.span, durationMs: loop.span.at - span.at };
}

/** Whether a message was received in a loop, and nothing else came before it. */
function isStepOf(loop: SpanNode, { span, children }: SpanNode): boolean {
  const { role, service, at } = loop.span;
  return (
    (role === 'internal' || role === 'unknown') &&
    service === span.service &&
    children.length === 0 &&
    span.at > loop.startMs &&
    span.at <= at
  );
}

function worksAfter(loop: SpanNode, { span }: SpanNode): boolean {
  return loop.children.length > 0 && loop.children.every(({ startMs }) => startMs >= span.at - CLOCK_MS);
}
