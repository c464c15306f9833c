import type { Evidence, Family } from '../../core/telemetry-item.ts';
import { ACCOUNTED } from '../grouping/reach.ts';

/** Evidence summed by family: what a ranking reads, so that its cost does not grow with the number of signals. */
type Sums = Map<Family, number>;

export interface ServiceSums {
  /** Evidence that names no instance. */
  readonly shared: Sums;
  readonly instances: Map<string, Sums>;
  /** Calls of this service that lost time on the way, by the other end. */
  readonly slowEdges: Map<string, number>;
  /** Weight of each metric of `MEASURED_TWICE`, by instance and fingerprint. */
  readonly latencies: Map<string | null, Map<string, number>>;
  /** Calls that fail for it, by callee. */
  readonly failingCallees: Map<string, number>;
}

export type EvidenceSums = Map<string, ServiceSums>;

/** Its metrics measure the same requests in several ways (mean, quantiles), so only the strongest of a place counts. */
const MEASURED_TWICE: Family = 'latency_metric';

export function addEvidence(sums: EvidenceSums, evidence: Evidence): void {
  change(sums, evidence, evidence.strength * evidence.rarity);
}

export function removeEvidence(sums: EvidenceSums, evidence: Evidence): void {
  change(sums, evidence, -evidence.strength * evidence.rarity);
}

/** A lost call is charged to the callee, a lost request to the place that it is blamed on, lost time on the way to both ends. */
function change(sums: EvidenceSums, evidence: Evidence, by: number): void {
  const { service, peer, instance, family } = evidence;
  if (family === MEASURED_TWICE) {
    changeLatency(sumsOf(sums, service), evidence, by);
    return;
  }
  if (peer === null || ACCOUNTED.has(family)) {
    addTo(sumsOf(sums, service), instance, family, by);
    return;
  }
  if (family === 'failed_calls') {
    addTo(sumsOf(sums, peer), instance, family, by);
    addNumber(sumsOf(sums, service).failingCallees, peer, by);
    return;
  }
  for (const [end, other] of [
    [service, peer],
    [peer, service],
  ] as const) {
    const own = sumsOf(sums, end);
    addTo(own, instance, family, by);
    addNumber(own.slowEdges, other, by);
  }
}

function changeLatency(own: ServiceSums, { instance, family, fingerprint }: Evidence, by: number): void {
  const weights = own.latencies.get(instance) ?? new Map<string, number>();
  own.latencies.set(instance, weights);
  addNumber(weights, fingerprint, by);
  const sums = instance === null ? own.shared : instanceSums(own, instance);
  sums.delete(family);
  addNumber(sums, family, Math.max(0, ...weights.values()));
}

function addTo(own: ServiceSums, instance: string | null, family: Family, by: number): void {
  addNumber(instance === null ? own.shared : instanceSums(own, instance), family, by);
}

function instanceSums({ instances }: ServiceSums, instance: string): Sums {
  const known = instances.get(instance) ?? new Map<Family, number>();
  instances.set(instance, known);
  return known;
}

function sumsOf(sums: EvidenceSums, service: string): ServiceSums {
  const known = sums.get(service) ?? {
    shared: new Map<Family, number>(),
    instances: new Map<string, Sums>(),
    slowEdges: new Map<string, number>(),
    latencies: new Map<string | null, Map<string, number>>(),
    failingCallees: new Map<string, number>(),
  };
  sums.set(service, known);
  return known;
}

/** A smaller sum is a rounding error of removed evidence. */
const NOTHING = 1e-9;

function addNumber<K>(map: Map<K, number>, key: K, by: number): void {
  const sum = (map.get(key) ?? 0) + by;
  if (sum > NOTHING) {
    map.set(key, sum);
  } else {
    map.delete(key);
  }
}
