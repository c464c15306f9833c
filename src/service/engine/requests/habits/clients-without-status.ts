import { callKey, isAlwaysAnswered, isSilent } from '../callees.ts';
import { CLOCK_MS } from '../constants.ts';
import { purposeOf, type SpanNode } from '../request-tree.ts';
import { isServer, type UsualTimes } from '../usual-times.ts';
import { markFailed } from './failed-answers.ts';

/**
 * Marks runs as failed that begin in a service which only calls others and whose first span has no status, as load generators,
 * browsers, scripts and jobs write them: Locust in the OpenTelemetry Demo, for example. A call in them failed if the answer that
 * always comes is missing. The whole run failed if one of its calls did, unless the same call also succeeded beside or after it.
 */
export function markFailedRuns(usual: UsualTimes, entry: SpanNode): void {
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
