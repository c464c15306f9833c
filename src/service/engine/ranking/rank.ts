import type { Family } from '../../core/telemetry-item.ts';
import type { Neighbours } from '../graph/call-graph.ts';
import type { EvidenceSums, ServiceSums } from './evidence-sums.ts';
import { ALIKE, CREDIT, DAMPING, EXPLAINED, WEIGHTS } from './weights.ts';

export interface Candidate {
  readonly service: string;
  readonly score: number;
  /** Part of the score that stands on its own evidence; the rest is credit for the callers that it explains. */
  readonly own: number;
  /** Strongest evidence first. */
  readonly families: readonly { readonly family: Family; readonly score: number }[];
}

export interface Ranking {
  /** Most likely root first. */
  readonly candidates: readonly Candidate[];
  /** 0 to 1: how far the first stands out from the second. Below `UNSURE_BELOW` the root is a guess. */
  readonly confidence: number;
}

const FAILING: readonly Family[] = [
  'failed_calls',
  'failure_metric',
  'error_log',
  'new_error_log',
  'harmed_requests',
  'tolerated_failures',
];
const SLOW: readonly Family[] = ['latency_metric', 'slow_trace', 'self_time', 'lost_time', 'harmed_requests'];

/**
 * Families of evidence at a callee that cause evidence in the family of the key at its callers: a callee that fails
 * makes its callers fail, a slow one makes them slow. Every family of the key is also caused by calls that fail.
 */
const CAUSED_BY: Readonly<Partial<Record<Family, readonly Family[]>>> = {
  failed_calls: FAILING,
  failure_metric: FAILING,
  error_log: FAILING,
  new_error_log: FAILING,
  latency_metric: SLOW,
  slow_trace: SLOW,
  alert: ['alert', ...FAILING, ...SLOW],
  // A caller without an answer does not continue.
  log_stopped: [],
  step_stopped: [],
};

/** Whether a service may show it only because a service that it calls fails. */
export function isCausedByCallee(family: Family): boolean {
  return CAUSED_BY[family] !== undefined;
}

/** Ranks the services that the evidence may come from. Does not depend on the order in which it came. */
export function rank(sums: EvidenceSums, graph: Neighbours): Ranking {
  const own = new Map(
    [...sums].map(([service, found]) => [service, scoreOwn(service, found, causesOf(service, sums, graph), graph)]),
  );
  const scored = [...own].map(([service, { score, families }]): Candidate => {
    const credit = (graph.callers.get(service) ?? []).reduce(
      (sum, caller) => sum + CREDIT * (own.get(caller)?.explained.get(service) ?? 0),
      0,
    );
    // Credit alone makes no root: at most it doubles what the service shows itself.
    return { service, score: score + Math.min(credit, score), own: score, families };
  });
  const candidates = scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1));
  return { candidates, confidence: confidenceOf(candidates) };
}

/** The margin between the first two scores, reduced if the first is low. */
function confidenceOf([first, second]: readonly Candidate[]): number {
  if (first === undefined) {
    return 0;
  }
  const margin = 1 - (second?.score ?? 0) / first.score;
  return (margin * first.score) / (first.score + 1);
}

/** Share of each candidate in the sum of all scores. It serves as the probability of the root where nothing else is known. */
export function sharesOf(candidates: readonly Candidate[]): Map<string, number> {
  const total = candidates.reduce((sum, { score }) => sum + score, 0);
  return new Map(candidates.map(({ service, score }) => [service, score / total]));
}

/** Returns the share of a family's evidence that each callee of a service explains. */
type Causes = (family: Family, sum: number) => ReadonlyMap<string, number>;

/** A callee that shows as much as its caller explains the caller; one that shows half as much explains half. */
function causesOf(service: string, sums: EvidenceSums, { callees }: Neighbours): Causes {
  const failing = sums.get(service)?.failingCallees ?? new Map<string, number>();
  const below = new Set([...(callees.get(service) ?? []), ...failing.keys()]);
  below.delete(service);
  return (family, sum) => {
    const causes = CAUSED_BY[family];
    if (causes === undefined) {
      return NONE;
    }
    const explained = [...below].map((callee) => {
      const found = sums.get(callee);
      const most = found === undefined ? 0 : Math.max(0, ...causes.map((cause) => sumOf(found, cause)));
      return [callee, Math.min(1, Math.max(failing.get(callee) ?? 0, most / sum))] as const;
    });
    return new Map(explained);
  };
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Evidence of the service itself and of its worst instance. */
function sumOf({ shared, instances }: ServiceSums, family: Family): number {
  return (shared.get(family) ?? 0) + Math.max(0, ...[...instances.values()].map((own) => own.get(family) ?? 0));
}

interface OwnScore {
  readonly score: number;
  readonly families: Candidate['families'];
  /** Part of the evidence that a callee explains, by callee. */
  readonly explained: ReadonlyMap<string, number>;
}

/** A fault is more often in one instance than in all of them. What all instances show alike is more likely their load. */
function scoreOwn(service: string, found: ServiceSums, causes: Causes, graph: Neighbours): OwnScore {
  const { shared, instances } = found;
  const alike = sharedByAll([...instances.values()]);
  const scores = [...instances.values()].map((own) =>
    scoreFamilies(service, addUp(shared, own, alike), found, causes, graph),
  );
  const [worst] = scores.toSorted((a, b) => b.score - a.score);
  return worst ?? scoreFamilies(service, shared, found, causes, graph);
}

/** The least that any of several instances shows, by family. Empty if there is only one instance. */
function sharedByAll([first, ...others]: readonly ReadonlyMap<Family, number>[]): ReadonlyMap<Family, number> {
  if (first === undefined || others.length === 0) {
    return new Map();
  }
  return new Map(
    [...first].map(([family, sum]) => [
      family,
      others.reduce((least, other) => Math.min(least, other.get(family) ?? 0), sum),
    ]),
  );
}

/** @param alike see `sharedByAll` */
function addUp(
  shared: ReadonlyMap<Family, number>,
  own: ReadonlyMap<Family, number>,
  alike: ReadonlyMap<Family, number>,
): Map<Family, number> {
  const sums = new Map(shared);
  for (const [family, sum] of own) {
    sums.set(family, (sums.get(family) ?? 0) + sum - ALIKE * (alike.get(family) ?? 0));
  }
  return sums;
}

function scoreFamilies(
  service: string,
  sums: ReadonlyMap<Family, number>,
  { slowEdges }: ServiceSums,
  causes: Causes,
  graph: Neighbours,
): OwnScore {
  const explained = new Map<string, number>();
  const families = [...sums].map(([family, sum]) => {
    const score = WEIGHTS[family] * sum ** DAMPING;
    if (family === 'network_gap') {
      return { family, score: score * shareOfEdges(service, slowEdges.size, graph) };
    }
    const shares = causes(family, sum);
    for (const [callee, share] of shares) {
      explained.set(callee, (explained.get(callee) ?? 0) + score * share);
    }
    return { family, score: score * (1 - EXPLAINED * Math.max(0, ...shares.values())) };
  });
  return {
    score: families.reduce((sum, part) => sum + part.score, 0),
    families: families.toSorted((a, b) => b.score - a.score || (a.family < b.family ? -1 : 1)),
    explained,
  };
}

/** The slow network of a service shows on all of its edges, but on only one edge of each neighbour. */
function shareOfEdges(service: string, slowEdges: number, { callers, callees }: Neighbours): number {
  const edges = new Set([...(callers.get(service) ?? []), ...(callees.get(service) ?? [])]).size;
  return Math.min(1, slowEdges / Math.max(edges, 1));
}
