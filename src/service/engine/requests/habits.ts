import { callKey, isAlwaysAnswered, isSilent } from './callees.ts';
import { CLOCK_MS } from './constants.ts';
import { isTakenFromQueue, purposeOf, retriedAmong, type SpanNode, walk } from './request-tree.ts';
import { isServer, type UsualTimes } from './usual-times.ts';

/**
 * Removes the time in which a consumer waited for its next message from its spans: a receive call that blocks until a message comes
 * is not slow. The spans are those of a loop which first receives a message and then processes it.
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

/**
 * Marks spans as failed whose own status does not say so.
 *
 * A call failed if its server says so, unless a retry of the call succeeded. Load generators, scripts and many libraries leave the
 * status of their spans unset, and a server may answer a failure of its own with a status that blames the caller: its database is
 * down, and it says `NOT_FOUND`.
 *
 * Browsers, load generators, scripts and jobs only call others and answer nobody. If their spans have no status, a call failed if the
 * answer that always comes is missing. The whole run failed if one of its calls did, unless the same call also succeeded beside or
 * after it.
 */
export function markUnreportedFailures(usual: UsualTimes, entry: SpanNode): void {
  for (const node of [...walk(entry)].toReversed()) {
    if (node.span.role === 'client' && !node.span.isFailed && failedAnswerOf(node)) {
      markFailed(node);
    }
  }
  if (!isClientOnly(usual, entry)) {
    return;
  }
  const calls = outermostCalls(entry);
  for (const call of calls) {
    if (isUnanswered(usual, call)) {
      markFailed(call);
    }
  }
  const wellUntil = new Map<string, number>();
  for (const call of calls.filter(({ span }) => !span.isFailed)) {
    const purpose = purposeOf(call);
    wellUntil.set(purpose, Math.max(call.span.at, wellUntil.get(purpose) ?? 0));
  }
  // Different calls may have the same name, so one that ended before the call began says nothing.
  const isMadeGood = (call: SpanNode) => (wellUntil.get(purposeOf(call)) ?? 0) > call.startMs + CLOCK_MS;
  if (calls.some((call) => call.span.isFailed && !isMadeGood(call))) {
    markFailed(entry);
  }
}

function markFailed(node: SpanNode): void {
  const { isRejected: _, ...span } = node.span;
  node.span = { ...span, isFailed: true };
}

/** Whether the server of a call says that it failed. A server span that only seems to belong to the call says nothing. */
function failedAnswerOf({ span, children }: SpanNode): boolean {
  const answers = children.filter((child) => child.span.service !== span.service && !child.isAdopted);
  const failed = answers.filter((answer) => answer.span.isFailed);
  const isRetried = failed.length === 0 ? () => true : retriedAmong(answers);
  return failed.some((answer) => !isRetried(answer));
}

/** Whether a request begins in a service that answers nobody, with a span without a status. */
function isClientOnly(usual: UsualTimes, entry: SpanNode): boolean {
  const { parentSpanId, role, isUntold } = entry.span;
  const calls = role === 'client' || role === 'internal';
  return parentSpanId === null && calls && isUntold === true && !isServer(usual, entry);
}

/**
 * The calls that the service of a span makes: the span itself, client spans below its internal spans, or the server spans of others
 * where its calls have no spans, as when a browser loads a page.
 */
function outermostCalls(top: SpanNode): SpanNode[] {
  const { service } = top.span;
  const isOwn = ({ span, isAdopted }: SpanNode) => span.service === service || (span.role === 'server' && !isAdopted);
  const calls: SpanNode[] = [];
  const stack = [top];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.span.role === 'client' || node.span.role === 'server') {
      calls.push(node);
    } else {
      stack.push(...node.children.filter(isOwn));
    }
  }
  return calls;
}

/** Whether a call without a status has no server span, although its calls always have one. */
function isUnanswered({ callees }: UsualTimes, call: SpanNode): boolean {
  const known = callees.get(callKey(call));
  return call.span.isUntold === true && !call.span.isFailed && isSilent(call) && isAlwaysAnswered(known);
}
