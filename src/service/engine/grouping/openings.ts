import type { Evidence, Family } from '../../core/telemetry-item.ts';
import { append } from '../bounded-map.ts';
import { ACCOUNTED, isHarm, isSignificant, LEAST_ALERT, servicesOf } from '../evidence.ts';
import { type Neighbours, within } from '../graph/call-graph.ts';
import { addEvidence, type EvidenceSums } from '../ranking/evidence-sums.ts';
import { type Candidate, MAX_HOPS, rank } from '../ranking/rank.ts';
import type { Moment } from './correlation-state.ts';
import { sharesFate } from './fates.ts';
import { reachOf } from './reach.ts';

/** Evidence that opens an incident together. */
export interface Opening {
  readonly root: string;
  readonly evidence: readonly Evidence[];
}

/**
 * Evidence without harm waits this long before it opens an incident, because harm is blamed later than that is found.
 */
const PATIENCE_MS = 30_000;
/** If requests have not shown by then where a fault is, they are too few, or too few of them are sampled. */
const REQUESTS_TELL_MS = 90_000;

/** Own score of a service from which it opens an incident that harms nobody, or is split off another. */
export const LEAST_SCORE = 1;

/** Groups the waiting evidence that is worth an incident. The result does not depend on its order. */
export function findOpenings(
  waiting: readonly Evidence[],
  { graph, at, odd = NOTHING_ODD }: Pick<Moment, 'graph' | 'at' | 'odd'>,
  waitingSince: ReadonlyMap<string, number>,
  isTaught: (evidence: Evidence) => boolean = () => false,
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
  const hasWaited = (ms: number) => (evidence: Evidence) => at - (waitingSince.get(evidence.fingerprint) ?? at) >= ms;
  const ranked = rank(sums, graph).candidates;
  const harmed = new Set(waiting.filter(isHarm).map(({ service }) => service));
  const allFated = waiting.filter(({ fate }) => fate !== undefined);
  const inOrder = [
    ...ranked.filter(({ service }) => harmed.has(service)),
    ...ranked.filter(({ service }) => !harmed.has(service)),
  ];
  return inOrder.flatMap((candidate): Opening[] => {
    const own = (byService.get(candidate.service) ?? []).filter((evidence) => !taken.has(evidence));
    const explained = oddnessAround(candidate.service, odd, graph);
    const counted = own.filter((evidence) => !isTaught(evidence));
    if (own.length === 0 || !isWorth(candidate, counted, hasWaited, explained)) {
      return [];
    }
    const { victims } = reachOf(candidate.service, graph);
    const ofVictims = [...victims].flatMap((victim) => byService.get(victim) ?? []);
    const inTraces = own.flatMap(({ traceId }) => byTrace.get(traceId ?? '') ?? []);
    const fated = allFated.filter((found) => own.some((each) => sharesFate(found, each)));
    const isOwn = (found: Evidence) => found.service === candidate.service || fated.includes(found);
    const evidence = [...new Set([...own, ...ofVictims, ...inTraces, ...fated])].filter(
      (found) => !taken.has(found) && (found.family !== 'harmed_requests' || isOwn(found)),
    );
    for (const found of evidence) {
      taken.add(found);
    }
    return [{ root: candidate.service, evidence }];
  });
}

/**
 * Whether evidence opens an incident: an alert, certain harm, or certain evidence that lasts though nobody is harmed.
 */
function isWorth(
  { own }: Candidate,
  evidence: readonly Evidence[],
  hasWaited: (ms: number) => (evidence: Evidence) => boolean,
  explained: number,
): boolean {
  if (evidence.some(({ origin, strength }) => origin === 'alert' && strength >= LEAST_ALERT)) {
    return true;
  }
  if (evidence.some(isHarm)) {
    return true;
  }
  const old = evidence.filter(hasWaited(PATIENCE_MS));
  if (old.some((found) => ACCOUNTED.has(found.family) && isSignificant(found) && isLasting(found))) {
    return true;
  }
  if (explained >= 1) {
    return false;
  }
  const significance = addSignificance(explained < SOON ? old : evidence.filter(hasWaited(REQUESTS_TELL_MS)));
  // The smaller the difference, the surer it has to be.
  return significance >= 1 && own * significance >= LEAST_SCORE;
}

/** Requests that are slower for less time, without harm, are no incident: a new version warms up, a cache is cold. */
const LASTING_MS = 60_000;

function isLasting({ family, at, since = Number.NEGATIVE_INFINITY, seenAt = at }: Evidence): boolean {
  return family !== 'lost_time' || seenAt - since >= LASTING_MS;
}

const NOTHING_ODD: ReadonlyMap<string, number> = new Map();
/** From this significance on, requests will soon show where the fault is. */
const SOON = 0.3;

/** How surely requests that are lost at a service or its callees already explain the evidence of the service. */
function oddnessAround(service: string, odd: ReadonlyMap<string, number>, graph: Neighbours): number {
  if (odd.size === 0) {
    return 0;
  }
  const places = [service, ...within(service, graph.callees, MAX_HOPS).keys()];
  return Math.max(...places.map((place) => odd.get(place) ?? 0));
}

/** Weight of further families, since one failure often shows in several. */
const FURTHER_FAMILY = 0.3;

/** Sums the significance of families. Only the highest of a family counts, since metrics of one place rise together. */
function addSignificance(evidence: readonly Evidence[]): number {
  const highest = new Map<Family, number>();
  for (const { family, significance = 0 } of evidence) {
    if (OPENING.has(family)) {
      highest.set(family, Math.max(highest.get(family) ?? 0, significance));
    }
  }
  const all = [...highest.values()];
  const most = Math.max(0, ...all);
  return most + FURTHER_FAMILY * (all.reduce((sum, each) => sum + each, 0) - most);
}

/** Families that can open an incident. Failures and lost time are in the accounts, and the rest only supports. */
const OPENING: ReadonlySet<Family> = new Set([
  'new_error_log',
  'error_log',
  'log_stopped',
  'step_stopped',
  'requests_stopped',
  'resource',
  'latency_metric',
  'failure_metric',
]);
