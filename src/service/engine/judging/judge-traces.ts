import { type Account, accountKey, enter } from '../accounts/accounts.ts';
import { noteLateAnswer } from '../accounts/claims.ts';
import { strongest } from '../accounts/stream.ts';
import { thresholdOf } from '../accounts/verdicts.ts';
import { HALF, SMALL_SHARE } from '../constants.ts';
import { calledBy, isSilent, learnCallee, learnLateCallee } from '../requests/callees.ts';
import { chargeMoments } from '../requests/critical-path.ts';
import { markFailedRuns } from '../requests/habits/clients-without-status.ts';
import { markFailedAnswers } from '../requests/habits/failed-answers.ts';
import { takeOutWaiting } from '../requests/habits/waiting-loops.ts';
import { type JudgedRequest, judgeRequest } from '../requests/judge-request.ts';
import { buildTrees, isTakenFromQueue, type SpanNode, walk } from '../requests/request-tree.ts';
import { type LostLines, takeLines } from '../requests/span-lines.ts';
import { completeTraces, keyOf, runOf } from '../requests/trace-assembly.ts';
import { learnTimes, type UsualTimes } from '../requests/usual-times.ts';
import { countArrival } from './arrivals.ts';
import { SLOT_MS } from './constants.ts';
import { type AssembledSpan, assemble } from './counting.ts';
import type { JudgingState } from './judging-state.ts';

/** The judged traces of one slot. */
interface JudgedTraces {
  readonly spans: readonly AssembledSpan[];
  readonly requests: readonly JudgedRequest[];
  readonly lostLines: readonly LostLines[];
}

/** Judges every trace that is due by a slot, enters its requests in the accounts, and learns what is usual. */
export function judgeTraces(state: JudgingState, slot: number): JudgedTraces {
  const { assembly, times, accounts } = state;
  const { traces, lostLines } = completeTraces(assembly, slot);
  const spans: AssembledSpan[] = [];
  const requests: JudgedRequest[] = [];
  for (const trace of traces) {
    const entries = buildTrees(trace.spans);
    // Before any is judged: a message that one waited for takes the time out of the loop that received it, in another.
    for (const entry of entries) {
      takeOutWaiting(entry);
    }
    for (const entry of entries) {
      markFailedAnswers(entry);
      markFailedRuns(times, entry);
      chargeMoments(times, entry);
      const isLate = trace.isLate && !isTakenFromQueue(entry.span);
      for (const node of walk(entry)) {
        const callee = isSilent(node) ? calledBy(times, node) : null;
        spans.push(assemble(node, takeLines(assembly.lines, keyOf(node.span), runOf(node.span)), callee, isLate));
      }
      if (isLate) {
        learnLateCallee(times, entry);
        noteLateAnswer(accounts, times, entry);
        learnLateTimes(state, entry);
      } else {
        requests.push(judgeRequest(times, entry));
      }
    }
  }
  requests.sort((a, b) => a.at - b.at || (keyOf(a.entry.span) < keyOf(b.entry.span) ? -1 : 1));
  for (const request of requests) {
    countArrival(state.arrivals, request.entry, (slot + 1) * SLOT_MS);
    enter(accounts, request, (slot + 1) * SLOT_MS, times);
    learn(state, request);
  }
  return { spans, requests, lostLines };
}

/**
 * Learns the callee of every call. Learns times only from requests and spans that did not fail, and only where no place
 * at or below the span has an open fault, or may have one: the first slow requests of a fault would soon be usual in a young
 * system.
 */
function learn({ times, accounts }: JudgingState, { entry, harm, marks }: JudgedRequest): void {
  const odd = new Set(
    marks.flatMap(({ place, sender }) => {
      const account = accounts.byKey.get(accountKey(sender, place));
      return account !== undefined && (isAtFault(account) || (harm === 'slow' && mayBeAtFault(account))) ? [place] : [];
    }),
  );
  const slowedDown = findSlowedDown(times, entry, odd);
  for (const node of walk(entry)) {
    learnCallee(times, node);
    if (harm !== 'failed' && !slowedDown.has(node)) {
      learnComplete(times, node);
    }
  }
}

/** What a service usually takes that always reports late is known only from what comes late. */
function learnLateTimes({ times, accounts }: JudgingState, entry: SpanNode): void {
  const nodes = [...walk(entry)];
  const places = nodes.flatMap((node) => [node.span.service, node.span.peer ?? '', calledBy(times, node) ?? '']);
  const odd = new Set(
    places.filter((place) => {
      const account = accounts.byKey.get(accountKey(entry.sender, place));
      return account !== undefined && isAtFault(account);
    }),
  );
  const slowedDown = findSlowedDown(times, entry, odd);
  for (const node of nodes.filter((each) => !slowedDown.has(each))) {
    learnComplete(times, node);
  }
}

/** A span that failed or was rejected may have ended early. */
function learnComplete(times: UsualTimes, node: SpanNode): void {
  if (!node.span.isFailed && node.span.isRejected === undefined) {
    learnTimes(times, node);
  }
}

function isAtFault({ streams }: Account): boolean {
  return Object.values(streams).some(({ isOpen }) => isOpen);
}

function mayBeAtFault(account: Account): boolean {
  const { harmed } = account.streams;
  return harmed.sinceHits > SMALL_SHARE * account.requests && strongest(harmed) >= HALF * thresholdOf(account);
}

/**
 * The spans at or below which is a place with an open fault, also one that does not answer: it slows down every span that waits
 * for it.
 *
 * @param odd the places with an open fault
 */
function findSlowedDown(times: UsualTimes, entry: SpanNode, odd: ReadonlySet<string>): ReadonlySet<SpanNode> {
  const found = new Set<SpanNode>();
  if (odd.size === 0) {
    return found;
  }
  for (const node of [...walk(entry)].toReversed()) {
    const { service, peer } = node.span;
    const isOdd = odd.has(service) || odd.has(peer ?? '') || odd.has(calledBy(times, node) ?? '');
    if (isOdd || node.children.some((child) => found.has(child))) {
      found.add(node);
    }
  }
  return found;
}
