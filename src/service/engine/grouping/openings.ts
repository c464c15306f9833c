import type { Evidence } from '../../core/evidence.ts';
import type { Family } from '../../core/telemetry-item.ts';
import { append } from '../bounded-map.ts';
import { MINUTE_MS } from '../constants.ts';
import { ACCOUNTED, isHarm, isSignificant, LEAST_ALERT, servicesOf } from '../evidence.ts';
import { type Neighbours, within } from '../graph/call-graph.ts';
import { addEvidence, type EvidenceSums } from '../ranking/evidence-sums.ts';
import { type Candidate, rank } from '../ranking/rank.ts';
import { MAX_HOPS } from '../ranking/weights.ts';
import { FURTHER_FAMILY, LEAST_SCORE, PATIENCE_MS, REQUESTS_TELL_MS, SOON } from './constants.ts';
import type { Moment } from './correlation-state.ts';
import { sharesFate } from './merge.ts';
import { reachOf } from './reach.ts';

/** Evidence that opens an incident together. */
interface Opening {
  readonly root: string;
  readonly evidence: readonly Evidence[];
}

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
  const allFated = waiting.filter(({ fate }) => fate !== undefined);
  return rank(sums, graph).candidates.flatMap((candidate): Opening[] => {
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

function isLasting({ family, at, since = Number.NEGATIVE_INFINITY, seenAt = at }: Evidence): boolean {
  return family !== 'lost_time' || seenAt - since >= MINUTE_MS;
}

const NOTHING_ODD: ReadonlyMap<string, number> = new Map();

/** How surely requests that are lost at a service or its callees already explain the evidence of the service. */
function oddnessAround(service: string, odd: ReadonlyMap<string, number>, graph: Neighbours): number {
  if (odd.size === 0) {
    return 0;
  }
  const places = [service, ...within(service, graph.callees, MAX_HOPS).keys()];
  return Math.max(...places.map((place) => odd.get(place) ?? 0));
}

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
