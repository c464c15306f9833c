import {
  answerOf,
  calleeOf,
  callingSpan,
  directCalleesOf,
  isAnsweredBehind,
  isSilent,
  isWorking,
  missingCalleeOf,
} from './callees.ts';
import { ALL_THE_TIME, CLOCK_MS, LEAST_EXPLAINED } from './constants.ts';
import { partsOf, retriedAmong, type SpanNode, walk } from './request-tree.ts';
import { isMuchLonger, isOverdue, type Usual, type UsualTimes, usualOf } from './usual-times.ts';

/** The place to blame for a failure or for lost time: a service, or a peer that sends no telemetry. */
export interface Blame {
  readonly place: string;
  /** Sender of the span in `node`. */
  readonly sender: string;
  /** The span of the place, or of its caller when the place is silent. */
  readonly node: SpanNode;
  /** `error`: it failed itself. `rejected`: it refused to serve the request. `silent`: it was called and did not answer, or slowly and without a span. `self`: it took long. `way`: time was lost on the way to it. */
  readonly kind: 'error' | 'rejected' | 'silent' | 'self' | 'way';
  /** Time above the baseline median; 0 for a failure, unless a slow answer explains it. */
  readonly extraMs: number;
}

/** What was lost in a span. */
export interface Loss {
  /** null: it did not fail, and took no longer than usual. */
  readonly harm: 'failed' | 'slow' | null;
  /** Time beyond the usual of the span. */
  readonly extraMs: number;
  /** The place that the harm is blamed on; null: no place explains it, or there is no harm. */
  readonly blame: Blame | null;
}

/** Judges whether a span failed or took much longer than usual, and which place is to blame. */
export function lossOf(usual: UsualTimes, top: SpanNode): Loss {
  const { isFailed, durationMs } = top.span;
  const known = usualOf(usual, top, 'duration');
  const extraMs = known === null ? 0 : Math.max(0, durationMs - known.medianMs);
  if (isFailed) {
    return { harm: 'failed', extraMs, blame: blameFailure(usual, top) };
  }
  return known !== null && isMuchLonger(durationMs, known)
    ? { harm: 'slow', extraMs, blame: blameTime(usual, top, extraMs) ?? blameRepetition(usual, top, extraMs) }
    : { harm: null, extraMs, blame: null };
}

/**
 * The place that rejected a request (4xx), so that its entry rejected it too. null: the request was served or failed, or a call was
 * cancelled, which no service decided.
 */
export function rejectionOf(usual: UsualTimes, entry: SpanNode): Blame | null {
  if (entry.span.isRejected !== true || entry.span.isFailed) {
    return null;
  }
  let node = entry;
  const rejectedBelow = () => partsOf(node).findLast(({ span }) => span.isRejected === true);
  for (let next = rejectedBelow(); next !== undefined; next = rejectedBelow()) {
    node = next;
  }
  const callee = isWorking(usual, node) ? null : calleeOf(usual, node);
  return callee !== null && isSilent(node) ? null : blame(node, callee ?? node.span.service, 'rejected', 0);
}

/** Finds the origin of a failure: the deepest failing span below `top`, or the service that did not answer that span. */
function blameFailure(usual: UsualTimes, top: SpanNode): Blame {
  const below = (node: SpanNode) => failingBelow(usual, node) ?? cancelledBelow(usual, node);
  let node = top;
  for (let next = below(node); next !== null; next = below(node)) {
    node = next;
  }
  node = callingSpan(usual, handlerAround(usual, node));
  const missing = missingCalleeOf(usual, node);
  if (missing !== null) {
    return blame(node, missing, 'silent', 0);
  }
  const callee = calleeOf(usual, node);
  if (callee === null) {
    return blame(node, node.span.service, 'error', 0);
  }
  const answer = answerOf(node);
  if (answer === null) {
    return blame(node, callee, 'silent', 0);
  }
  // The callee succeeded, but its caller had given up, or the answer got lost.
  const slow = blameTime(usual, answer, 0);
  const known = usualOf(usual, answer, 'duration');
  const isLonger = known === null || answer.span.durationMs > known.highMs;
  const isBusy = isLonger && !isWorking(usual, node) && answer.span.durationMs >= ALL_THE_TIME * node.span.durationMs;
  if (slow !== null && (isBusy || slow.extraMs > node.span.durationMs / 2)) {
    return slow;
  }
  if (!isWorking(usual, node)) {
    return blame(node, callee, 'way', 0);
  }
  return blame(node, node.span.service, 'error', 0);
}

/**
 * The last failed span below a span: a child, or one below a callee that answered in time without failing itself, although its
 * caller did.
 */
function failingBelow(usual: UsualTimes, node: SpanNode): SpanNode | null {
  const child = failingChild(node);
  const answer = isWorking(usual, node) ? null : answerOf(node);
  if (child !== null || answer === null || answer.span.durationMs > node.span.durationMs) {
    return child;
  }
  const behind = failingChild(answer);
  return behind === null || retriedAmong(partsOf(answer))(behind) ? null : behind;
}

/**
 * The call that a failed span waited for until it cancelled the call. Many libraries report a timeout as a cancelled call, which is
 * no failure of the call.
 */
function cancelledBelow(usual: UsualTimes, node: SpanNode): SpanNode | null {
  return partsOf(node).findLast((part) => part.span.isRejected !== undefined && isOverdue(usual, part)) ?? null;
}

/** The last part that failed, preferably one that was not retried with success. */
function failingChild(node: SpanNode): SpanNode | null {
  const parts = partsOf(node);
  const failed = parts.filter(({ span }) => span.isFailed);
  if (failed.length === 0) {
    return null;
  }
  const isRetried = retriedAmong(parts);
  const last = failed.findLast((part) => !isRetried(part)) ?? failed.at(-1) ?? null;
  return last === null || !isStep(last)
    ? last
    : (failed.findLast((part) => onlyReports(last, part) && !isRetried(part)) ?? last);
}

/** An internal span without calls. */
function isStep({ span, children }: SpanNode): boolean {
  return span.role === 'internal' && children.length === 0;
}

/**
 * The span around a failed step, if that span calls others without client spans; else the step. The step that sends the answer fails
 * when such a call has failed.
 */
function handlerAround(usual: UsualTimes, step: SpanNode): SpanNode {
  const { service } = step.span;
  let work = isStep(step) && calleeOf(usual, step) === null ? step.parent : null;
  while (work?.span.service === service && !isWorking(usual, work)) {
    work = work.parent;
  }
  return work?.span.service === service && directCalleesOf(usual, work) !== null ? work : step;
}

/** Whether a step only reports the failure of a call before it: it handles the failure, or sends the answer, as the spans of ASGI do. */
function onlyReports({ span, startMs }: SpanNode, { span: call }: SpanNode): boolean {
  return call.service !== span.service || (call.role === 'client' && call.at <= startMs + CLOCK_MS);
}

/**
 * Failures below a span that their callers handled, each blamed on its origin, see `blameFailure`.
 *
 * @param fatal the origin of the failure of `top`; null: it did not fail
 */
export function tolerated(usual: UsualTimes, top: SpanNode, fatal: SpanNode | null): Blame[] {
  const chain = new Set<SpanNode>();
  for (let node = fatal; node !== null; node = node.parent) {
    chain.add(node);
  }
  const found: Blame[] = [];
  const stack = [top];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { children, span } = node;
    const isFailedCall = ({ span: part }: SpanNode) =>
      part.isFailed && (part.role === 'client' || part.service !== span.service);
    const failedCalls = children.some(isStep) ? partsOf(node).filter(isFailedCall) : [];
    for (const child of children) {
      if (child.span.isFailed && !chain.has(child)) {
        const isTold = isStep(child) && failedCalls.some((call) => onlyReports(child, call));
        found.push(...(isTold ? [] : [blameFailure(usual, child)]));
      } else {
        stack.push(child);
      }
    }
  }
  return found;
}

/**
 * Where a slow span lost its time: what is charged to each span against what is usual for it, summed by place.
 *
 * @param leastMs what must be explained, see `LEAST_EXPLAINED`
 * @returns null: no place explains enough
 */
function blameTime(usual: UsualTimes, top: SpanNode, leastMs: number): Blame | null {
  const byPlace = new Map<string, { ms: number; worst: Blame }>();
  for (const node of walk(top)) {
    for (const part of lostIn(usual, node)) {
      const known = byPlace.get(part.place);
      const worst = known === undefined || part.extraMs > known.worst.extraMs ? part : known.worst;
      byPlace.set(part.place, { ms: (known?.ms ?? 0) + part.extraMs, worst });
    }
  }
  const [most] = [...byPlace.values()].toSorted((a, b) => b.ms - a.ms || (a.worst.place < b.worst.place ? -1 : 1));
  if (most === undefined || most.ms < LEAST_EXPLAINED * leastMs) {
    return null;
  }
  return { ...most.worst, extraMs: most.ms };
}

/** Each span took as long as usual, so there were more of them: the deepest span that took so much longer as a whole repeated its calls. */
function blameRepetition(usual: UsualTimes, top: SpanNode, leastMs: number): Blame | null {
  const isLonger = (node: SpanNode) => {
    const known = usualOf(usual, node, 'duration');
    return known !== null && node.span.durationMs - known.medianMs >= LEAST_EXPLAINED * leastMs;
  };
  let node = top;
  for (let next = node.children.find(isLonger); next !== undefined; next = node.children.find(isLonger)) {
    node = next;
  }
  return isWorking(usual, node) ? blame(node, node.span.service, 'self', leastMs) : null;
}

/** What is charged to a span beyond the usual, and the pause before its failed call was tried again. */
function lostIn(usual: UsualTimes, node: SpanNode): Blame[] {
  const { ms, known, place, kind } = chargeOf(usual, node);
  const extraMs = known === null ? 0 : ms - known.medianMs;
  return [
    ...(extraMs > 0 ? [blame(node, place, kind, extraMs)] : []),
    ...(node.pauseMs > 0 ? [{ ...blameFailure(usual, node), extraMs: node.pauseMs }] : []),
  ];
}

/** Parts of a request that took much longer than usual, although the request did not. */
export function slowParts(usual: UsualTimes, top: SpanNode): Blame[] {
  return [...walk(top)].flatMap((node) => {
    const { ms, known, place, kind } = chargeOf(usual, node);
    if (known === null || !isMuchLonger(ms, known)) {
      return [];
    }
    return [blame(node, place, kind, ms - known.medianMs)];
  });
}

/** Time that is charged to a span, what is usual, and the place that is blamed for more. */
interface Charge extends Pick<Blame, 'place' | 'kind'> {
  readonly ms: number;
  readonly known: Usual | null;
}

function chargeOf(usual: UsualTimes, node: SpanNode): Charge {
  const callee = isWorking(usual, node) ? null : calleeOf(usual, node);
  if (callee === null) {
    return { place: node.span.service, kind: 'self', ms: node.ownMs, known: usualOf(usual, node, 'own') };
  }
  if (isSilent(node) || isAnsweredBehind(usual, node)) {
    const ms = node.ownMs + usualBelow(usual, node);
    return { place: callee, kind: 'silent', ms, known: usualOf(usual, node, 'duration') };
  }
  return { place: callee, kind: 'way', ms: node.ownMs, known: usualOf(usual, node, 'own') };
}

/** Milliseconds that the children of a span took, as far as they are usual. */
function usualBelow(usual: UsualTimes, { children }: SpanNode): number {
  const usually = children.map((child) =>
    Math.min(child.span.durationMs, usualOf(usual, child, 'duration')?.medianMs ?? 0),
  );
  return usually.reduce((sum, ms) => sum + ms, 0);
}

function blame(node: SpanNode, place: string, kind: Blame['kind'], extraMs: number): Blame {
  return { place, sender: node.sender, node, kind, extraMs };
}
