import type { Blame } from './blame.ts';
import { type DirectCallees, directCalleesOf, isWorking } from './callees.ts';
import { type SpanNode, walk } from './request-tree.ts';
import { isMuchLonger, type UsualTimes, usualOf } from './usual-times.ts';

/** One run of an operation. Its callees are empty if its calls are spans of their own. */
export interface DirectRun extends DirectCallees {
  readonly operation: string;
  /** `slow` and `failed`, which is quick: the loss of its request is blamed on this run. */
  readonly outcome: 'well' | 'slow' | 'failed';
}

const NO_CALLEES: DirectCallees = { answered: new Set(), usualShares: new Map() };

/**
 * The runs of a service in one request, with the callees that it called without client spans.
 */
export function directRunsOf(
  usual: UsualTimes,
  entry: SpanNode,
  { place, sender, blame }: { readonly place: string; readonly sender: string; readonly blame: Blame | null },
): DirectRun[] {
  return [...walk(entry)].flatMap((node): DirectRun[] => {
    const { service, operation, isFailed } = node.span;
    if (service !== place || node.sender !== sender || !isWorking(usual, node)) {
      return [];
    }
    const isLost = blame?.node === node;
    const isLate = isMuchLongerThanUsual(usual, node);
    if (!isLost && (isLate || isFailed)) {
      return [];
    }
    const outcome = !isLost ? 'well' : isLate ? 'slow' : 'failed';
    return [{ operation, outcome, ...(directCalleesOf(usual, node) ?? NO_CALLEES) }];
  });
}

function isMuchLongerThanUsual(usual: UsualTimes, node: SpanNode): boolean {
  const known = usualOf(usual, node, 'duration');
  return known !== null && isMuchLonger(node.span.durationMs, known);
}
