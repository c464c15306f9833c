import { increase, sumOf } from '../bounded-map.ts';
import { LIMITS } from '../limits.ts';
import { lossOf } from '../requests/blame.ts';
import type { SpanNode } from '../requests/request-tree.ts';
import type { UsualTimes } from '../requests/usual-times.ts';
import { type Accounts, accountKey } from './accounts.ts';
import { LATE_SHARE, LEAST_ANSWERS, MOSTLY } from './constants.ts';
import type { Episode } from './episode.ts';

/**
 * Records an answer that came after its request was judged: the caller had given up and the callee went on, or the callee
 * reports late. It seemed silent, so it, its caller, the network between them or another callee of that one might be blamed for
 * what another place lost.
 *
 * @param answer a late span whose caller was judged before
 */
export function noteLateAnswer({ byKey, lostBySpan }: Accounts, usual: UsualTimes, answer: SpanNode): void {
  const { span, sender } = answer;
  const account = byKey.get(lostBySpan.get(span.parentSpanId ?? '') ?? accountKey(sender, span.service));
  if (account === undefined || account.episodes.size === 0) {
    return;
  }
  const { blame: cause } = lossOf(usual, answer);
  if (cause !== null) {
    for (const { lateAnswers } of account.episodes.values()) {
      increase(lateAnswers.places, cause.place, span.weight ?? 1, LIMITS.few);
      increase(lateAnswers.kinds, cause.kind, span.weight ?? 1, LIMITS.few);
    }
  }
}

/** The place where most late answers failed or lost their time; null: too few came late. */
export function causeOfLateAnswers({ lateAnswers, requests }: Episode): string | null {
  const answers = sumOf(lateAnswers.places);
  if (answers < Math.max(LEAST_ANSWERS, LATE_SHARE * requests)) {
    return null;
  }
  return [...lateAnswers.places].find(([, count]) => count >= MOSTLY * answers)?.[0] ?? null;
}
