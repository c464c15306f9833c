import type { Evidence, Family } from '../../core/telemetry-item.ts';
import type { Neighbours } from '../graph/call-graph.ts';
import { addEvidence, type EvidenceSums } from '../ranking/evidence-sums.ts';
import { type Candidate, rank } from '../ranking/rank.ts';
import type { EngineSettings } from '../settings.ts';
import { reachOf, servicesOf } from './reach.ts';

/** Evidence that opens an incident together. */
export interface Opening {
  readonly root: string;
  readonly evidence: readonly Evidence[];
}

/** Metrics support; alone they open only when extreme. */
const METRIC_FAMILIES: ReadonlySet<Family> = new Set(['resource', 'latency_metric', 'failure_metric', 'traffic_drop']);
/** Eight times the usual value, and never so in quiet time. */
const EXTREME = { strength: 0.99, rarity: 0.5 };
/** An alert that its sender calls mere information opens nothing by itself. */
const LEAST_ALERT = 0.5;
/** Score without metrics that a root needs. */
const LEAST_SYMPTOMS = 0.5;

/** Groups the waiting evidence that is worth an incident. The result does not depend on its order. */
export function findOpenings(waiting: readonly Evidence[], graph: Neighbours, settings: EngineSettings): Opening[] {
  const sums: EvidenceSums = new Map();
  const byService = new Map<string, Evidence[]>();
  const byTrace = new Map<string, Evidence[]>();
  for (const evidence of waiting) {
    addEvidence(sums, evidence);
    for (const service of servicesOf(evidence)) {
      append(byService, service, evidence);
    }
    if (evidence.traceId !== null) {
      append(byTrace, evidence.traceId, evidence);
    }
  }
  const taken = new Set<Evidence>();
  return rank(sums, graph).candidates.flatMap((candidate): Opening[] => {
    const own = (byService.get(candidate.service) ?? []).filter((evidence) => !taken.has(evidence));
    if (own.length === 0 || !isWorth(candidate, own, settings)) {
      return [];
    }
    const { victims } = reachOf(candidate.service, graph);
    const explained = [...victims].flatMap((victim) => byService.get(victim) ?? []);
    const inTraces = own.flatMap(({ traceId }) => byTrace.get(traceId ?? '') ?? []);
    const evidence = [...new Set([...own, ...explained, ...inTraces])].filter((found) => !taken.has(found));
    for (const found of evidence) {
      taken.add(found);
    }
    return [{ root: candidate.service, evidence }];
  });
}

function append(map: Map<string, Evidence[]>, key: string, evidence: Evidence): void {
  const known = map.get(key);
  if (known === undefined) {
    map.set(key, [evidence]);
  } else {
    known.push(evidence);
  }
}

function isWorth({ own, families }: Candidate, evidence: readonly Evidence[], settings: EngineSettings): boolean {
  if (evidence.some(({ origin, strength }) => origin === 'alert' && strength >= LEAST_ALERT)) {
    return true;
  }
  if (evidence.some((found) => found.family === 'resource' && isExtreme(found))) {
    return true;
  }
  const metrics = families
    .filter(({ family }) => METRIC_FAMILIES.has(family))
    .reduce((sum, { score }) => sum + score, 0);
  return own >= settings.leastScore && own - metrics >= LEAST_SYMPTOMS;
}

function isExtreme({ strength, rarity }: Evidence): boolean {
  return strength >= EXTREME.strength && rarity >= EXTREME.rarity;
}
