import { increase, senderIn, senderKey, setBounded } from '../bounded-map.ts';
import { HALF, LEAST_ANSWERS, LEAST_RUNS, LIMITS, SMALL_SHARE } from '../constants.ts';
import { FADE } from './constants.ts';
import { isWork, type SpanNode } from './request-tree.ts';
import { isMuchLonger, isOverdue, operationKey, type UsualTimes, usualOf } from './usual-times.ts';

/**
 * Whether a span does work of its own, so that it is no call. The internal span of a handler does, if several services answer directly
 * below it: its calls have no client spans.
 */
export function isWorking(usual: UsualTimes, node: SpanNode): boolean {
  return isWork(node) || (node.span.role === 'internal' && hasSeveralCallees(usual, node));
}

function hasSeveralCallees(usual: UsualTimes, node: SpanNode): boolean {
  const { runs = 0, direct = new Map<string, number>() } = usual.answers.get(operationKey(node)) ?? {};
  const least = SMALL_SHARE * Math.max(runs, LEAST_RUNS);
  return direct.size > 1 && [...direct.values()].filter((count) => count > least).length > 1;
}

/** The span that calls others without client spans: the span itself, or the last handler span in it. */
export function callingSpan(usual: UsualTimes, node: SpanNode): SpanNode {
  const { service } = node.span;
  const isHandler = (child: SpanNode) =>
    child.span.service === service && child.span.role === 'internal' && isWorking(usual, child);
  const handler = isWork(node) ? node.children.findLast(isHandler) : undefined;
  return handler === undefined || hasSeveralCallees(usual, node) ? node : handler;
}

/** The service that a span waits for, also one that sends no telemetry. null: the span does the work itself. */
export function calleeOf(usual: UsualTimes, node: SpanNode): string | null {
  const answer = answerOf(node);
  const answerer = answer?.span.service ?? null;
  return answer?.isAdopted === false ? answerer : (calledBy(usual, node) ?? answerer);
}

/**
 * Whether the span of the callee never came, and what is below the call is a span behind the callee. Then the time of the callee cannot
 * be told from the time on the network.
 */
export function isAnsweredBehind(usual: UsualTimes, node: SpanNode): boolean {
  return !isWorking(usual, node) && answerOf(node)?.isAdopted === true;
}

/** The server span of another service below a span, the last one if there are several. null: there is none. */
export function answerOf({ span, children }: SpanNode): SpanNode | null {
  return children.findLast((child) => child.span.service !== span.service) ?? null;
}

/**
 * The service that a span calls, which is blamed if nobody answers. It may differ from the one that answers, if a proxy or a service
 * without spans is between them. null: the span does the work itself, or does not name its callee.
 */
export function calledBy(usual: UsualTimes, node: SpanNode): string | null {
  const { span } = node;
  if (isWorking(usual, node)) {
    return null;
  }
  const known = usual.callees.get(callKey(node));
  if (known !== undefined && isMostlyAnswered(known)) {
    return known.callee;
  }
  if (span.peer === null || span.peer === '' || span.peer === span.service) {
    return null;
  }
  return usual.aliases.get(senderKey(node.sender, span.peer)) ?? span.peer;
}

/**
 * The service that a failed span without client spans waited for: one that usually answers, but not in this run, in which the span
 * waited much longer than usual.
 */
export function missingCalleeOf(usual: UsualTimes, node: SpanNode): string | null {
  const known = usualOf(usual, node, 'own');
  const isLate = node.span.role !== 'client' && known !== null && isMuchLonger(node.ownMs, known);
  return isLate ? (missingIn(usual, node)[0] ?? null) : null;
}

/** Services that usually answer in an operation, in their usual order, without those that did. */
function missingIn(usual: UsualTimes, node: SpanNode): string[] {
  const known = usual.answers.get(operationKey(node));
  if (known === undefined) {
    return [];
  }
  const answered = answerersOf(node);
  const usually = [...known.direct].filter(([, count]) => count > HALF * known.runs);
  return usually.map(([callee]) => callee).filter((callee) => !answered.has(callee));
}

/** Callees of a run whose calls are no spans of their own. */
export interface DirectCallees {
  /** Services that answered in this run. */
  readonly answered: ReadonlySet<string>;
  /** In which share of the runs each service usually answers, in their usual order. */
  readonly usualShares: ReadonlyMap<string, number>;
}

/** @returns null: its calls are spans, or it makes none */
export function directCalleesOf(usual: UsualTimes, node: SpanNode): DirectCallees | null {
  if (!isWorking(usual, node)) {
    return null;
  }
  const { runs = 0, direct = new Map<string, number>() } = usual.answers.get(operationKey(node)) ?? {};
  const answered = answerersOf(node);
  const shares = [...direct].map(([callee, count]) => [callee, count / Math.max(runs, LEAST_RUNS)] as const);
  return answered.size + shares.length === 0 ? null : { answered, usualShares: new Map(shares) };
}

/** Other services that answered directly below a span, without a span of the call. */
export function answerersOf({ span, children }: SpanNode): Set<string> {
  const others = children.filter((child) => child.span.service !== span.service);
  return new Set(others.map((child) => child.span.service));
}

/** Whether the service that a span waits for reported nothing in this trace. */
export function isSilent(node: SpanNode): boolean {
  return answerOf(node) === null;
}

/** Calls have poor names: `POST` leads to whom the span names. */
export function callKey(node: SpanNode): string {
  return `${operationKey(node)}|${node.span.peer ?? ''}`;
}

/** How often a call was answered, and how often not; both fade. */
interface AnswerCounts {
  readonly answered: number;
  readonly silent: number;
}

/** Whether who answered a call is its callee, by its answers and by how often there was none. */
export function isMostlyAnswered({ answered, silent }: AnswerCounts): boolean {
  return answered > Math.max(LEAST_ANSWERS, silent);
}

/** Whether hardly a call remains without the span of its answer, which is lost at times. @param known undefined: none was seen */
export function isAlwaysAnswered(known: AnswerCounts | undefined): boolean {
  return known !== undefined && known.answered >= LEAST_RUNS && known.silent <= SMALL_SHARE * known.answered;
}

/** Learns who answers a call. A call that has no answer once in a while keeps its callee. */
export function learnCallee(usual: UsualTimes, node: SpanNode): void {
  const { span } = node;
  if (!span.isFailed && span.isRejected === undefined && span.role !== 'client') {
    learnAnswers(usual, node);
  }
  if (isWork(node)) {
    return;
  }
  const answer = answerOf(node);
  const key = callKey(node);
  const known = usual.callees.get(key);
  if (answer === null) {
    // A call that took much longer than usual was not answered, so it says nothing about its callee.
    if (known !== undefined && !span.isFailed && !isOverdue(usual, node)) {
      countSilent(known);
    }
    return;
  }
  const callee = answer.span.service;
  if (answer.isAdopted) {
    if (isOverdue(usual, node)) {
      return; // a slow call encloses spans of others that lost their parent
    }
    setBounded(usual.guessed, span.spanId, { key, peer: span.peer ?? '' }, LIMITS.names);
    if (span.isFailed || usual.answeredLate.has(key) || (known !== undefined && known.callee !== callee)) {
      return;
    }
  }
  const hasSeveral = answerersOf(node).size > 1;
  if (known === undefined || known.callee !== callee || hasSeveral) {
    // A call name that leads to several services identifies none of them, and what calls several is no call.
    setBounded(
      usual.callees,
      key,
      { callee, answered: known === undefined && !hasSeveral ? 1 : 0, silent: 0 },
      LIMITS.names,
    );
  } else {
    known.answered = FADE * known.answered + 1;
    known.silent *= FADE;
  }
  const learnt = usual.callees.get(key);
  // Fewer may be chance: a span whose parent is lost is hung below a call that was made at the same time.
  const isSure = learnt !== undefined && isMostlyAnswered(learnt);
  if (span.peer !== null && span.peer !== '' && span.peer !== callee && isSure) {
    setBounded(usual.aliases, senderKey(node.sender, span.peer), callee, LIMITS.services);
  }
}

function countSilent(known: { answered: number; silent: number }): void {
  known.silent = FADE * known.silent + 1;
  known.answered *= FADE;
}

/**
 * Learns from a late span who answers a call that was judged before: what seemed to be the answer is a span behind it.
 */
export function learnLateCallee(usual: UsualTimes, { span }: SpanNode): void {
  const call = usual.guessed.get(span.parentSpanId ?? '');
  if (call === undefined) {
    return;
  }
  const { key, peer } = call;
  usual.guessed.delete(span.parentSpanId ?? '');
  setBounded(usual.answeredLate, key, true, LIMITS.names);
  setBounded(usual.callees, key, { callee: span.service, answered: LEAST_ANSWERS + 1, silent: 0 }, LIMITS.names);
  const alias = senderKey(senderIn(key), peer);
  if (peer === span.service) {
    usual.aliases.delete(alias);
  } else if (peer !== '') {
    setBounded(usual.aliases, alias, span.service, LIMITS.services);
  }
}

function learnAnswers(usual: UsualTimes, node: SpanNode): void {
  const reached = answerersOf(node);
  const key = operationKey(node);
  const known = usual.answers.get(key);
  if (known === undefined && reached.size === 0) {
    return;
  }
  const answers = known ?? { runs: 0, direct: new Map() };
  answers.runs = FADE * answers.runs + 1;
  for (const [callee, count] of answers.direct) {
    answers.direct.set(callee, FADE * count);
  }
  for (const callee of reached) {
    increase(answers.direct, callee, 1, LIMITS.few);
  }
  setBounded(usual.answers, key, answers, LIMITS.names);
}
