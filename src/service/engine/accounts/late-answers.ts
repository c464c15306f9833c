import { increase, sumOf } from '../bounded-map.ts';
import { lossOf } from '../requests/blame.ts';
import type { SpanNode } from '../requests/request-tree.ts';
import type { UsualTimes } from '../requests/usual-times.ts';
import { type Accounts, accountKey } from './accounts.ts';
import { type Episode, MAX_COUNTED } from './episode.ts';

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
      increase(lateAnswers.places, cause.place, span.weight ?? 1, MAX_COUNTED);
      increase(lateAnswers.kinds, cause.kind, span.weight ?? 1, MAX_COUNTED);
    }
  }
}

/** Fewer late answers may be chance, or stragglers of requests that were lost for another reason. */
const LEAST_ANSWERS = 3;
const LEAST_SHARE = 0.25;
/** Share of the late answers that one cause must explain. */
const MOSTLY = 0.75;

/** The place where most late answers failed or lost their time; null: too few came late. */
export function causeOfLateAnswers({ lateAnswers, requests }: Episode): string | null {
  const answers = sumOf(lateAnswers.places);
  if (answers < Math.max(LEAST_ANSWERS, LEAST_SHARE * requests)) {
    return null;
  }
  return [...lateAnswers.places].find(([, count]) => count >= MOSTLY * answers)?.[0] ?? null;
}
