import { setBounded } from '../bounded-map.ts';
import { callKey, isAlwaysAnswered, isSilent } from './callees.ts';
import { type SpanNode, walk } from './request-tree.ts';
import { CLOCK_MS, purposeOf, retriedAmong } from './retries.ts';
import { isServer, MAX_OPERATIONS, type UsualTimes } from './usual-times.ts';

/**
 * Takes a call for failed if who answered it says that it failed, and no later try of the same call went well. Load generators,
 * scripts and many libraries leave the status of their spans unset, and a server that failed may answer with a status that
 * blames its caller: a database is down, and it says `NOT_FOUND`.
 *
 * Nobody waits for a service that answers nobody: a browser, a load generator, a script or a job is what loses its calls. Where
 * its spans do not tell how they ended, a call is lost if the answer that always comes does not, and so is the run that made it,
 * unless the same call also went well beside or after it.
 */
export function takeFailuresOfAnswers(usual: UsualTimes, entry: SpanNode): void {
  for (const node of [...walk(entry)].toReversed()) {
    if (node.span.role === 'client' && !node.span.isFailed && failedAnswerOf(node)) {
      takeForFailed(node);
    }
  }
  if (!isUntoldErrand(usual, entry)) {
    return;
  }
  const calls = outermostCalls(entry);
  for (const call of calls) {
    if (isUnheard(usual, call)) {
      setBounded(usual.unheard, call.span.spanId, callKey(call), MAX_OPERATIONS);
      takeForFailed(call);
    }
  }
  const wellUntil = new Map<string, number>();
  for (const call of calls.filter(({ span }) => !span.isFailed)) {
    const purpose = purposeOf(call);
    wellUntil.set(purpose, Math.max(call.span.at, wellUntil.get(purpose) ?? 0));
  }
  // Poor names make the steps of a task alike, so one that ended before says nothing.
  const isMadeGood = (call: SpanNode) => (wellUntil.get(purposeOf(call)) ?? 0) > call.startMs + CLOCK_MS;
  if (calls.some((call) => call.span.isFailed && !isMadeGood(call))) {
    takeForFailed(entry);
  }
}

function takeForFailed(node: SpanNode): void {
  const { isRejected: _, ...span } = node.span;
  node.span = { ...span, isFailed: true };
}

/** An answer that is only guessed says nothing about the call. */
function failedAnswerOf({ span, children }: SpanNode): boolean {
  const answers = children.filter((child) => child.span.service !== span.service && !child.isAdopted);
  const failed = answers.filter((answer) => answer.span.isFailed);
  const isRetried = failed.length === 0 ? () => true : retriedAmong(answers);
  return failed.some((answer) => !isRetried(answer));
}

/** Whether a request begins in a service that answers nobody, with a span that does not tell how it ended. */
function isUntoldErrand(usual: UsualTimes, entry: SpanNode): boolean {
  const { parentSpanId, role, isUntold } = entry.span;
  const calls = role === 'client' || role === 'internal';
  return parentSpanId === null && calls && isUntold === true && !isServer(usual, entry);
}

/**
 * The calls of the service that a span belongs to: itself, those below its internal spans, or their answers where calls have no
 * spans, as of the page that a browser loads.
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

/** Whether a call that does not tell how it ended lacks the answer that always comes. */
function isUnheard({ callees }: UsualTimes, call: SpanNode): boolean {
  const known = callees.get(callKey(call));
  return call.span.isUntold === true && !call.span.isFailed && isSilent(call) && isAlwaysAnswered(known);
}
