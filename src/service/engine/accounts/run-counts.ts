import { getOrCreate, senderKey } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import type { Blame } from '../requests/blame.ts';
import { callingSpan, type DirectCallees, directCalleesOf, isWorking } from '../requests/callees.ts';
import { type SpanNode, walk } from '../requests/request-tree.ts';
import { isOverdue, type UsualTimes } from '../requests/usual-times.ts';
import { CHANCE, MAX_RUNS } from './constants.ts';
import { logOfAnyShare } from './likelihood.ts';

/**
 * Runs of a service without client spans, by operation. Such a service looks slow or failing itself when a callee is, or the way to
 * it; which of its runs are lost tells the two apart.
 */
export type RunCounts = Map<string, OperationRuns>;

interface OperationRuns {
  lost: number;
  well: number;
  readonly callees: Map<string, CalleeRuns>;
}

/** Runs that a callee answered, and the share in which it usually does, as it was known when the losses began. */
interface CalleeRuns {
  lost: number;
  well: number;
  readonly share: number;
}

export function countRuns(counts: RunCounts, runs: readonly DirectRun[]): void {
  for (const { operation, outcome, answered, usualShares } of runs) {
    const known = getOrCreate(counts, operation, LIMITS.few, () => ({ lost: 0, well: 0, callees: new Map() }));
    if (known.lost + known.well >= MAX_RUNS) {
      continue;
    }
    const result = outcome === 'well' ? 'well' : 'lost';
    known[result] += 1;
    for (const callee of new Set([...usualShares.keys(), ...answered])) {
      const share = usualShares.get(callee) ?? 0;
      const own = getOrCreate(known.callees, callee, LIMITS.few, () => ({ lost: 0, well: 0, share }));
      own[result] += answered.has(callee) ? 1 : 0;
    }
  }
}

export function calleesIn(counts: RunCounts): Set<string> {
  return new Set([...counts.values()].flatMap(({ callees }) => [...callees.keys()]));
}

/** Whether a callee answered any run that was lost. */
export function hasAnsweredLost(counts: RunCounts, callee: string): boolean {
  return [...counts.values()].some(({ callees }) => (callees.get(callee)?.lost ?? 0) > 0);
}

/**
 * Log of the Bayes factor of a callee at fault against the service itself. If it is the callee, a share of the runs that call it are
 * lost, and no others. If it is the service, each operation loses a share of its own, or all of them the same, whomever they call.
 */
export function logOfCallee(counts: RunCounts, callee: string): number {
  let [ofCallee, ofService, ofOperations] = [0, 0, 0];
  const atCallee = { lost: 0, well: 0 };
  const all = { lost: 0, well: 0 };
  for (const { lost, well, callees } of counts.values()) {
    const own = callees.get(callee) ?? NO_RUNS;
    const share = Math.min(1 - CHANCE, Math.max(CHANCE, own.share));
    // It answered none of the lost runs, or all that it was called in, or some.
    const answered = own.lost === 0 || own.lost === lost ? 0 : logOfAnyShare({ lost: own.lost, well: lost - own.lost });
    const asUsual = own.lost * Math.log(share) + (lost - own.lost) * Math.log(1 - share);
    ofCallee += lost * Math.log(share) + answered;
    ofService += Math.max(asUsual, own.lost === lost && lost > 0 ? Number.NEGATIVE_INFINITY : answered);
    ofOperations += logOfAnyShare({ lost, well });
    atCallee.lost += lost;
    atCallee.well += own.well;
    all.lost += lost;
    all.well += well;
  }
  return ofCallee + logOfAnyShare(atCallee) - ofService - Math.max(ofOperations, logOfAnyShare(all));
}

const NO_RUNS: CalleeRuns = { lost: 0, well: 0, share: 0 };

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
