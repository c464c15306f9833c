import { increase, senderIn, senderKey, setBounded } from '../bounded-map.ts';
import { LIMITS } from '../limits.ts';
import { answerersOf, answerOf, callKey, isMostlyAnswered } from './callees.ts';
import { FADE, LEAST_ANSWERS } from './constants.ts';
import { isWork, type SpanNode } from './request-tree.ts';
import { isOverdue, operationKey, type UsualTimes } from './usual-times.ts';

/** Learns who answers a call. A call that has no answer once in a while keeps its callee. */
export function learnCallee(usual: UsualTimes, node: SpanNode): void {
  const { span } = node;
  if (!span.isFailed && span.isRejected !== true && span.role !== 'client') {
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
