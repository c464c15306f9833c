import { type Neighbours, within } from '../graph/call-graph.ts';
import type { Evidence, Family } from '../telemetry-item.ts';
import { WEIGHTS } from './weights.ts';

export interface Candidate {
  readonly service: string;
  readonly score: number;
  /** Part of the score that stands on its own evidence. */
  readonly own: number;
  /** Strongest evidence first. */
  readonly families: readonly { readonly family: Family; readonly score: number }[];
}

export interface Ranking {
  readonly candidates: readonly Candidate[];
  /** 0 to 1: how far the first stands out. */
  readonly confidence: number;
}

/** More evidence of one family adds less and less. */
const DAMPING = 0.7;
/** What a caller's evidence is worth to the one it calls, and per further hop. */
const CREDIT = 0.5;
const CREDIT_PER_HOP = 0.35;
const MAX_HOPS = 3;

/** Ranks the services that these signals may come from, most likely first. Does not depend on the order of the signals. */
export function rank(evidence: readonly Evidence[], graph: Neighbours): Ranking {
  const own = new Map(
    [...groupByService(evidence)].map(([service, found]) => [service, scoreOwn(service, found, graph)]),
  );
  const scored = [...own].map(([service, { score, families }]): Candidate => {
    let credit = 0;
    for (const [caller, hops] of within(service, graph.callers, MAX_HOPS)) {
      const symptom = own.get(caller)?.symptom ?? 0;
      credit += symptom * CREDIT * CREDIT_PER_HOP ** (hops - 1);
    }
    return { service, score: score + Math.min(credit, score), own: score, families };
  });
  const candidates = scored.toSorted((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1));
  return { candidates, confidence: confidenceOf(candidates) };
}

function groupByService(evidence: readonly Evidence[]): Map<string, Evidence[]> {
  const groups = new Map<string, Evidence[]>();
  for (const found of evidence) {
    const services =
      found.family === 'network_gap' && found.peer !== null ? [found.service, found.peer] : [found.service];
    for (const service of services) {
      groups.set(service, [...(groups.get(service) ?? []), found]);
    }
  }
  return groups;
}

interface OwnScore {
  readonly score: number;
  readonly families: Candidate['families'];
  /** What of it a failing callee may have caused. */
  readonly symptom: number;
}

/** A fault sits in one instance more often than in all: what is odd at all of them alike is more likely their load. */
function scoreOwn(service: string, evidence: readonly Evidence[], graph: Neighbours): OwnScore {
  const shared = evidence.filter(({ instance }) => instance === null);
  const instances = new Set(evidence.flatMap(({ instance }) => instance ?? []));
  const scores = [...instances].map((name) =>
    scoreInstance(service, [...shared, ...evidence.filter(({ instance }) => instance === name)], graph),
  );
  const [worst] = scores.toSorted((a, b) => b.score - a.score);
  return worst ?? scoreInstance(service, shared, graph);
}

function scoreInstance(service: string, evidence: readonly Evidence[], graph: Neighbours): OwnScore {
  const sums = new Map<Family, number>();
  for (const { family, strength, rarity } of evidence) {
    sums.set(family, (sums.get(family) ?? 0) + strength * rarity);
  }
  const families = [...sums]
    .map(([family, sum]) => ({
      family,
      score: WEIGHTS[family] * sum ** DAMPING * shareOfEdges(service, family, evidence, graph),
    }))
    .toSorted((a, b) => b.score - a.score || (a.family < b.family ? -1 : 1));
  const score = families.reduce((sum, part) => sum + part.score, 0);
  const symptom = families.filter(({ family }) => SYMPTOMS.has(family)).reduce((sum, part) => sum + part.score, 0);
  return { score, families, symptom };
}

/** What a failing callee does to its caller. */
const SYMPTOMS: ReadonlySet<Family> = new Set([
  'failed_calls',
  'error_log',
  'new_error_log',
  'latency_metric',
  'failure_metric',
  'slow_trace',
  'alert',
]);

/** A slow network shows on all edges of the service, on one edge of each of its neighbours. */
function shareOfEdges(
  service: string,
  family: Family,
  evidence: readonly Evidence[],
  { callers, callees }: Neighbours,
): number {
  if (family !== 'network_gap') {
    return 1;
  }
  const all = new Set([...(callers.get(service) ?? []), ...(callees.get(service) ?? [])]).size;
  const odd = new Set(
    evidence.filter((found) => found.family === family).map((found) => `${found.service}>${found.peer}`),
  ).size;
  return Math.min(1, odd / Math.max(all, 1));
}

function confidenceOf([first, second]: readonly Candidate[]): number {
  if (first === undefined || first.score === 0) {
    return 0;
  }
  return 1 - (second?.score ?? 0) / first.score;
}
