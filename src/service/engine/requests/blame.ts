import {
  abandonedBy,
  answerOf,
  calleeOf,
  callingSpan,
  directCalleesOf,
  isAnsweredBehind,
  isSilent,
  isWorking,
  missingOf,
} from './callees.ts';
import { partsOf } from './parts.ts';
import { type SpanNode, walk } from './request-tree.ts';
import { CLOCK_MS, longestPause, retriedAmong } from './retries.ts';
import type { Usual } from './times.ts';
import { isMuchLonger, isOverdue, selfTimeOf, type UsualTimes, usualOf } from './usual-times.ts';

/** The place to blame for a failure or for lost time: a service, or a peer that never reports. */
export interface Blame {
  readonly place: string;
  /** Sender of the span in `node`. */
  readonly sender: string;
  /** The span of the place, or of its caller when the place is silent. */
  readonly node: SpanNode;
  /** `error`: it failed itself. `silent`: it was called and did not answer, or slowly and without a span. `self`: it took long. `way`: time was lost on the way to it. */
  readonly kind: 'error' | 'silent' | 'self' | 'way';
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

/** A callee that worked for this share of a call until its caller gave up lost no answer on the way. */
const ALL_THE_TIME = 0.9;
/** A place is blamed for a slow request if it explains this share of what is too much. */
const LEAST_EXPLAINED = 0.4;

/** Judges whether a span failed or took much longer than usual, and which place is to blame. */
export function lossOf(usual: UsualTimes, top: SpanNode): Loss {
  const { isFailed, durationMs } = top.span;
  const known = usualOf(usual, top, 'duration');
  const extraMs = known === null ? 0 : Math.max(0, durationMs - known.medianMs);
  if (isFailed) {
    return { harm: 'failed', extraMs, blame: blameFailure(usual, top) };
  }
  return known !== null && isMuchLonger(durationMs, known)
    ? { harm: 'slow', extraMs, blame: blameTime(usual, top, extraMs) }
    : { harm: null, extraMs, blame: null };
}

/** Finds the origin of a failure: the deepest failing span below `top`, or the service that span waited for in vain. */
function blameFailure(usual: UsualTimes, top: SpanNode): Blame {
  const below = (node: SpanNode) => failingBelow(usual, node) ?? givenUpBelow(usual, node);
  let node = top;
  for (let next = below(node); next !== null; next = below(node)) {
    node = next;
  }
  node = callingSpan(usual, workAround(usual, node));
  const missing = missingOf(usual, node);
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
  // It answered well, but its caller had given up, or the answer was lost.
  const slow = blameTime(usual, answer, 0);
  const isBusy = !isWorking(usual, node) && answer.span.durationMs >= ALL_THE_TIME * node.span.durationMs;
  if (slow !== null && (isBusy || slow.extraMs > node.span.durationMs / 2)) {
    return slow;
  }
  if (!isWorking(usual, node)) {
    return blame(node, callee, 'way', 0);
  }
  const abandoned = abandonedBy(usual, node);
  return abandoned === null ? blame(node, node.span.service, 'error', 0) : blame(node, abandoned, 'way', 0);
}

/**
 * The last failure below a span: of a child, or behind a callee that answered in time and tells no failure of its own,
 * although its caller got one.
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
 * What a span that failed had waited for until it cancelled it: many libraries tell a timeout of their caller as a call that
 * was cancelled, which is no failure of its own.
 */
function givenUpBelow(usual: UsualTimes, node: SpanNode): SpanNode | null {
  return partsOf(node).findLast((part) => part.span.isRejected === true && isOverdue(usual, part)) ?? null;
}

/** The last part that failed: rather one that was not tried again with success. */
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
    : (failed.findLast((part) => isToldBy(last, part) && !isRetried(part)) ?? last);
}

/** An internal span without calls. */
function isStep({ span, children }: SpanNode): boolean {
  return span.role === 'internal' && children.length === 0;
}

/**
 * The span around a failed step that calls others without client spans; else the step. Its failure may be that of a call: the step
 * that sends the answer fails too.
 */
function workAround(usual: UsualTimes, step: SpanNode): SpanNode {
  const { service } = step.span;
  let work = isStep(step) && calleeOf(usual, step) === null ? step.parent : null;
  while (work?.span.service === service && !isWorking(usual, work)) {
    work = work.parent;
  }
  return work?.span.service === service && directCalleesOf(usual, work) !== null ? work : step;
}

/** Whether a step only tells that a call before it had failed: it handles that, or sends the answer, as the spans of ASGI do. */
function isToldBy({ span, startMs }: SpanNode, { span: call }: SpanNode): boolean {
  return call.service !== span.service || (call.role === 'client' && call.at <= startMs + CLOCK_MS);
}

/**
 * Failures below a span that their callers got over, each blamed on its origin, see `blameFailure`.
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
        const isTold = isStep(child) && failedCalls.some((call) => isToldBy(child, call));
        found.push(...(isTold ? [] : [blameFailure(usual, child)]));
      } else {
        stack.push(child);
      }
    }
  }
  return found;
}

/**
 * Where a slow span lost its time: each part of it against what is usual for that part, summed by place.
 *
 * @param leastMs what must be explained, see `LEAST_EXPLAINED`
 * @returns null: no place explains enough
 */
function blameTime(usual: UsualTimes, top: SpanNode, leastMs: number): Blame | null {
  const byPlace = new Map<string, { ms: number; worst: Blame }>();
  for (const node of walk(top)) {
    const lost = partOf(usual, node);
    const part = lost === null ? null : withoutPause(usual, node, lost);
    if (part !== null && part.extraMs > 0) {
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

/** A span pauses before it tries a failed call again: most of its own extra time is then lost where that call failed. */
function withoutPause(usual: UsualTimes, node: SpanNode, part: Blame): Blame {
  const pause = part.kind === 'self' ? longestPause(partsOf(node)) : null;
  return pause === null || pause.ms < part.extraMs / 2
    ? part
    : { ...blameFailure(usual, pause.failed), extraMs: part.extraMs };
}

/** Parts of a request that took much longer than usual, whether or not anybody waited for them. */
export function slowParts(usual: UsualTimes, top: SpanNode): Blame[] {
  return [...walk(top)].flatMap((node) => {
    const { ms, known } = timeOf(usual, node);
    const part = partOf(usual, node);
    // A caller that got over a failure has paused before it tried again.
    const hasPaused = part?.kind === 'self' && partsOf(node).some(({ span }) => span.isFailed);
    return known !== null && part !== null && !hasPaused && isMuchLonger(ms, known) ? [part] : [];
  });
}

function partOf(usual: UsualTimes, node: SpanNode): Blame | null {
  const { ms, known, callee, isUnanswered } = timeOf(usual, node);
  if (known === null) {
    return null;
  }
  const extraMs = ms - known.medianMs;
  return callee === null || isWorking(usual, node)
    ? blame(node, node.span.service, 'self', extraMs)
    : blame(node, callee, isUnanswered ? 'silent' : 'way', extraMs);
}

interface PartTime {
  /** Of a call that its callee did not answer all of its time, else its own. */
  readonly ms: number;
  readonly known: Usual | null;
  readonly callee: string | null;
  readonly isUnanswered: boolean;
}

function timeOf(usual: UsualTimes, node: SpanNode): PartTime {
  const callee = calleeOf(usual, node);
  const isAnswered = !isSilent(node) && !isAnsweredBehind(usual, node);
  const isUnanswered = callee !== null && !isAnswered;
  const ms = isUnanswered ? node.span.durationMs - extraBelow(usual, node) : selfTimeOf(node);
  return { ms, known: usualOf(usual, node, isUnanswered ? 'duration' : 'self'), callee, isUnanswered };
}

/** Milliseconds that the children of a span took above what is usual for them. */
function extraBelow(usual: UsualTimes, { children }: SpanNode): number {
  const extra = children.map((child) => child.span.durationMs - (usualOf(usual, child, 'duration')?.medianMs ?? 0));
  return extra.reduce((sum, ms) => sum + Math.max(0, ms), 0);
}

function blame(node: SpanNode, place: string, kind: Blame['kind'], extraMs: number): Blame {
  return { place, sender: node.sender, node, kind, extraMs };
}
