import type { Evidence, Family } from '../../core/telemetry-item.ts';
import { type Neighbours, within } from '../graph/call-graph.ts';
import { LEAST_ALERT } from '../judging/found-evidence.ts';
import { addEvidence, type EvidenceSums } from '../ranking/evidence-sums.ts';
import { type Candidate, MAX_HOPS, rank } from '../ranking/rank.ts';
import type { EngineSettings } from '../settings.ts';
import type { Moment } from './correlation-state.ts';
import { ACCOUNTED, isSureOf, reachOf, servicesOf } from './reach.ts';

/** Evidence that opens an incident together. */
export interface Opening {
  readonly root: string;
  readonly evidence: readonly Evidence[];
}

/** Harm is blamed later than other evidence is found: what harms nobody must wait for it. */
const PATIENCE_MS = 30_000;

/** Groups the waiting evidence that is worth an incident. The result does not depend on its order. */
export function findOpenings(
  waiting: readonly Evidence[],
  { graph, at, odd = NOTHING_ODD }: Pick<Moment, 'graph' | 'at' | 'odd'>,
  settings: EngineSettings,
  waitingSince: ReadonlyMap<string, number>,
): Opening[] {
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
  const isOld = (evidence: Evidence) => at - (waitingSince.get(evidence.fingerprint) ?? at) >= PATIENCE_MS;
  const ranked = rank(sums, graph).candidates;
  const harmed = new Set(waiting.filter(isHarm).map(({ service }) => service));
  const inOrder = [
    ...ranked.filter(({ service }) => harmed.has(service)),
    ...ranked.filter(({ service }) => !harmed.has(service)),
  ];
  return inOrder.flatMap((candidate): Opening[] => {
    const own = (byService.get(candidate.service) ?? []).filter((evidence) => !taken.has(evidence));
    if (own.length === 0 || !isWorth(candidate, own, isOld, isBeyond(candidate.service, odd, graph), settings)) {
      return [];
    }
    const { victims } = reachOf(candidate.service, graph);
    const explained = [...victims].flatMap((victim) => byService.get(victim) ?? []);
    const inTraces = own.flatMap(({ traceId }) => byTrace.get(traceId ?? '') ?? []);
    const evidence = [...new Set([...own, ...explained, ...inTraces])].filter(
      (found) => !taken.has(found) && (found.family !== 'harmed_requests' || found.service === candidate.service),
    );
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

function isHarm(evidence: Evidence): boolean {
  return evidence.family === 'harmed_requests' && isSureOf(evidence);
}

/** Others have judged it, it harms people, or it is clear and stays so though nobody is harmed. */
function isWorth(
  { own }: Candidate,
  evidence: readonly Evidence[],
  isOld: (evidence: Evidence) => boolean,
  isExplained: boolean,
  settings: EngineSettings,
): boolean {
  if (evidence.some(({ origin, strength }) => origin === 'alert' && strength >= LEAST_ALERT)) {
    return true;
  }
  if (evidence.some(isHarm)) {
    return true;
  }
  const old = evidence.filter(isOld);
  if (old.some((found) => ACCOUNTED.has(found.family) && isSureOf(found))) {
    return true;
  }
  return !isExplained && own >= settings.leastScore && addSureness(old) >= 1;
}

const NOTHING_ODD: ReadonlyMap<string, number> = new Map();
/** Surer than that, requests will soon say where it is. */
const SOON = 0.3;

/** What a service shows while its requests, or those of whom it calls, are being lost, needs no other reason. */
function isBeyond(service: string, odd: ReadonlyMap<string, number>, graph: Neighbours): boolean {
  return (
    odd.size > 0 &&
    [service, ...within(service, graph.callees, MAX_HOPS).keys()].some((place) => (odd.get(place) ?? 0) >= SOON)
  );
}

/** What one failure shows in several families is one finding, more or less. */
const FURTHER_FAMILY = 0.3;

/** Of each family the surest counts: metrics of one place rise together. */
function addSureness(evidence: readonly Evidence[]): number {
  const surest = new Map<Family, number>();
  for (const { family, sureness = 0 } of evidence) {
    if (OPENING.has(family)) {
      surest.set(family, Math.max(surest.get(family) ?? 0, sureness));
    }
  }
  const all = [...surest.values()];
  const most = Math.max(0, ...all);
  return most + FURTHER_FAMILY * (all.reduce((sum, each) => sum + each, 0) - most);
}

/** Evidence in its own right; failures and time are in the accounts, and the rest only supports. */
const OPENING: ReadonlySet<Family> = new Set([
  'new_error_log',
  'error_log',
  'log_stopped',
  'step_stopped',
  'resource',
  'latency_metric',
  'failure_metric',
]);
