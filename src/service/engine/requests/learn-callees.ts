import { increase, senderIn, senderKey, setBounded } from '../bounded-map.ts';
import {
  answerersOf,
  answerOf,
  callKey,
  isMostlyAnswered,
  LEAST_ANSWERS,
  lateKey,
  type Reached,
  reachedBelow,
} from './callees.ts';
import { isRun, isWork, type SpanNode } from './request-tree.ts';
import { isOverdue, MAX_OPERATIONS, MAX_SERVICES, operationKey, type UsualTimes } from './usual-times.ts';

const FADE = 0.98;

/** Remembers who answers a call. A call that is silent once in a while still has its callee. */
export function learnCallee(usual: UsualTimes, node: SpanNode): void {
  const { span } = node;
  if (!span.isFailed && span.isRejected !== true && span.role !== 'client') {
    learnAnswers(usual, node);
    learnEnds(usual, node);
  }
  if (isWork(node)) {
    return;
  }
  const answer = answerOf(node);
  const key = callKey(node);
  const known = usual.callees.get(key);
  if (answer === null) {
    // A call that took much longer than usual has its callee still, which did not answer.
    if (known !== undefined && !span.isFailed && !isOverdue(usual, node)) {
      countSilent(known);
    }
    return;
  }
  const callee = answer.span.service;
  if (answer.isAdopted) {
    if (isOverdue(usual, node)) {
      return; // it is around whatever lost its parent meanwhile
    }
    setBounded(usual.guessed, span.spanId, { key, peer: span.peer ?? '' }, MAX_OPERATIONS);
    if (span.isFailed || usual.answeredLate.has(key) || (known !== undefined && known.callee !== callee)) {
      return;
    }
  }
  const hasSeveral = answerersOf(node).direct.size > 1;
  if (known === undefined || known.callee !== callee || hasSeveral) {
    // A call name that leads to several services identifies none of them, and what calls several is no call.
    setBounded(
      usual.callees,
      key,
      { callee, answered: known === undefined && !hasSeveral ? 1 : 0, silent: 0 },
      MAX_OPERATIONS,
    );
  } else {
    known.answered = FADE * known.answered + 1;
    known.silent *= FADE;
  }
  const learnt = usual.callees.get(key);
  // Fewer may be chance: a span whose parent is lost is hung below a call that was made at the same time.
  const isSure = learnt !== undefined && isMostlyAnswered(learnt);
  if (span.peer !== null && span.peer !== '' && span.peer !== callee && isSure) {
    setBounded(usual.aliases, senderKey(node.sender, span.peer), callee, MAX_SERVICES);
  }
}

function countSilent(known: { answered: number; silent: number }): void {
  known.silent = FADE * known.silent + 1;
  known.answered *= FADE;
}

/**
 * Remembers who answers a call that was judged before. What seemed to be its answer is behind that, and one that seemed to be
 * lost only was not answered in time.
 */
export function learnLateCallee(usual: UsualTimes, { span }: SpanNode): void {
  const unheard = usual.callees.get(usual.unheard.get(span.parentSpanId ?? '') ?? '');
  if (unheard !== undefined) {
    usual.unheard.delete(span.parentSpanId ?? '');
    countSilent(unheard);
  }
  const call = usual.guessed.get(span.parentSpanId ?? '');
  if (call === undefined) {
    return;
  }
  const { key, peer } = call;
  usual.guessed.delete(span.parentSpanId ?? '');
  setBounded(usual.answeredLate, key, true, MAX_OPERATIONS);
  setBounded(usual.callees, key, { callee: span.service, answered: LEAST_ANSWERS + 1, silent: 0 }, MAX_OPERATIONS);
  const alias = senderKey(senderIn(key), peer);
  if (peer === span.service) {
    usual.aliases.delete(alias);
  } else if (peer !== '') {
    setBounded(usual.aliases, alias, span.service, MAX_SERVICES);
  }
}

/** Clocks drift apart. */
const DRIFT_MS = 0.1;

function learnEnds(usual: UsualTimes, node: SpanNode): void {
  for (const { span } of node.children) {
    if (span.service !== node.span.service) {
      const key = lateKey(node, span.service);
      const latest = Math.max(
        span.at - node.span.at,
        (usual.latestEnds.get(key) ?? Number.NEGATIVE_INFINITY) - DRIFT_MS,
      );
      setBounded(usual.latestEnds, key, latest, MAX_OPERATIONS);
    }
  }
}

const MAX_CALLEES = 16;

function learnAnswers(usual: UsualTimes, node: SpanNode): void {
  const reached: Reached = { ...answerersOf(node), below: isRun(node) ? reachedBelow(usual, node) : new Set() };
  const key = operationKey(node);
  const known = usual.answers.get(key);
  if (known === undefined && reached.direct.size + reached.calls.size + reached.below.size === 0) {
    return;
  }
  const answers = known ?? { runs: 0, direct: new Map(), calls: new Map(), below: new Map() };
  answers.runs = FADE * answers.runs + 1;
  for (const way of ['direct', 'calls', 'below'] as const) {
    for (const [callee, count] of answers[way]) {
      answers[way].set(callee, FADE * count);
    }
    for (const callee of reached[way]) {
      increase(answers[way], callee, 1, MAX_CALLEES);
    }
  }
  setBounded(usual.answers, key, answers, MAX_OPERATIONS);
}
