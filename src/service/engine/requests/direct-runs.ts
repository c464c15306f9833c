import { senderKey } from '../bounded-map.ts';
import type { Blame } from './blame.ts';
import { callingSpan, type DirectCallees, directCalleesOf, isWorking } from './callees.ts';
import { type SpanNode, walk } from './request-tree.ts';
import { isOverdue, type UsualTimes } from './usual-times.ts';

/** One run of an operation. Its callees are empty if its calls are spans of their own. */
export interface DirectRun extends DirectCallees {
  readonly operation: string;
  /** `slow` and `failed`, which is quick: the loss of its request is blamed on this run. */
  readonly outcome: 'well' | 'slow' | 'failed';
}

const NO_CALLEES: DirectCallees = { answered: new Set(), usualShares: new Map() };

/**
 * Finds the runs of each service in one request, with the callees that it called without client spans. The spans are grouped
 * once, by the first call, since most requests need none.
 *
 * @returns for the service as a sender reports it, without the runs that were lost in another way than `blame` says
 */
export function directRunsIn(usual: UsualTimes, entry: SpanNode) {
  let byService: Map<string, SpanNode[]> | null = null;
  return (service: string, sender: string, blame: Blame | null): DirectRun[] => {
    byService ??= Map.groupBy(walk(entry), (node) => senderKey(node.sender, node.span.service));
    const nodes = byService.get(senderKey(sender, service)) ?? [];
    return nodes.flatMap((node) => directRunOf(usual, node, blame) ?? []);
  };
}

function directRunOf(usual: UsualTimes, node: SpanNode, blame: Blame | null): DirectRun | null {
  const { operation, isFailed } = node.span;
  if (!isWorking(usual, node) || callingSpan(usual, node) !== node) {
    return null; // the handler in it is the same run
  }
  const isLost = blame?.node === node;
  const isSlow = isOverdue(usual, node);
  if (!isLost && (isSlow || isFailed)) {
    return null;
  }
  const outcome = !isLost ? 'well' : isSlow ? 'slow' : 'failed';
  return { operation, outcome, ...(directCalleesOf(usual, node) ?? NO_CALLEES) };
}
