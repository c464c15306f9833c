import type { Evidence } from '../../src/service/core/evidence.ts';
import type { Neighbours } from '../../src/service/engine/graph/call-graph.ts';

/** Ranks the services of one case, most likely root first. */
export type Baseline = (evidence: readonly Evidence[], graph: Neighbours) => string[];

/** What is to be beaten: the usual simple answers, on the same evidence. */
export const BASELINES: Readonly<Record<string, Baseline>> = {
  'most signals': byMostSignals,
  earliest: byEarliest,
  deepest: byDepth,
  PageRank: byPageRank,
};

function byMostSignals(evidence: readonly Evidence[]): string[] {
  return order(countSignals(evidence));
}

function byEarliest(evidence: readonly Evidence[]): string[] {
  const earliest = new Map<string, number>();
  for (const { service, at } of evidence) {
    earliest.set(service, Math.max(earliest.get(service) ?? Number.NEGATIVE_INFINITY, -at));
  }
  return order(earliest);
}

/** The service that calls fewest others with signals; of several the one with most signals. */
function byDepth(evidence: readonly Evidence[], { callees }: Neighbours): string[] {
  const signals = countSignals(evidence);
  const depth = new Map<string, number>();
  for (const [service, count] of signals) {
    const below = (callees.get(service) ?? []).filter((callee) => signals.has(callee));
    depth.set(service, count / 1e6 - below.length);
  }
  return order(depth);
}

const DAMPING = 0.85;
const ROUNDS = 30;

/** A walk from callers to callees over the services with signals, that restarts where signals are. */
function byPageRank(evidence: readonly Evidence[], { callees }: Neighbours): string[] {
  const signals = countSignals(evidence);
  const total = evidence.length;
  let ranks = new Map([...signals].map(([service, count]) => [service, count / total]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Map([...signals].map(([service, count]) => [service, ((1 - DAMPING) * count) / total]));
    for (const [service, rank] of ranks) {
      const reached = (callees.get(service) ?? []).filter((callee) => signals.has(callee));
      for (const target of reached.length === 0 ? [service] : reached) {
        next.set(target, (next.get(target) ?? 0) + (DAMPING * rank) / Math.max(reached.length, 1));
      }
    }
    ranks = next;
  }
  return order(ranks);
}

function countSignals(evidence: readonly Evidence[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { service } of evidence) {
    counts.set(service, (counts.get(service) ?? 0) + 1);
  }
  return counts;
}

function order(scores: ReadonlyMap<string, number>): string[] {
  return [...scores].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).map(([service]) => service);
}
