import { CLOCK_MS } from '../constants.ts';
import { isTakenFromQueue, type SpanNode } from '../request-tree.ts';

/**
 * Removes the time in which a consumer waited for its next message from its spans: a receive call that blocks until a message comes
 * is not slow. The spans are those of a loop which first receives a message and then processes it, as the accounting service of
 * the OpenTelemetry Demo writes them.
 *
 * @param received the entry of a request; nothing happens unless it is such a receive call
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
