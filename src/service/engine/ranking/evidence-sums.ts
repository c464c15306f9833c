import type { Evidence } from '../../core/evidence.ts';
import type { Family } from '../../core/telemetry-item.ts';
import { ACCOUNTED } from '../evidence.ts';

/** Evidence summed by family: what a ranking reads, so that its cost does not grow with the number of signals. */
type Sums = Map<Family, number>;

export interface ServiceSums {
  /** Evidence that names no instance. */
  readonly shared: Sums;
  readonly instances: Map<string, Sums>;
  /** Calls of this service that lost time on the way, by the other end. */
  readonly slowEdges: Map<string, number>;
  /** Weight of each metric of `MEASURED_TWICE` by fingerprint, by instance and family. */
  readonly measured: Map<string, Map<string, number>>;
  /** Calls that fail for it, by callee. */
  readonly failingCallees: Map<string, number>;
}

export type EvidenceSums = Map<string, ServiceSums>;

/**
 * Metrics of these families measure the same requests in several ways (mean, quantiles, at each caller), so only the strongest one
 * of a place counts.
 */
const MEASURED_TWICE: ReadonlySet<Family> = new Set(['latency_metric', 'failure_metric']);

export function addEvidence(sums: EvidenceSums, evidence: Evidence): void {
  change(sums, evidence, evidence.strength * evidence.rarity);
}

export function removeEvidence(sums: EvidenceSums, evidence: Evidence): void {
  change(sums, evidence, -evidence.strength * evidence.rarity);
}

/**
 * A lost call is charged to the callee, and so is what its caller measured of it. A lost request is charged to the place
 * that it is blamed on, lost time on the way to both ends.
 */
function change(sums: EvidenceSums, evidence: Evidence, by: number): void {
  const { service, peer, instance, family } = evidence;
  if (MEASURED_TWICE.has(family)) {
    // The instance of the caller is none of the callee.
    changeMeasured(sumsOf(sums, peer ?? service), peer === null ? instance : null, evidence, by);
    if (peer !== null && family === 'failure_metric') {
      addNumber(sumsOf(sums, service).failingCallees, peer, by);
    }
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

function changeMeasured(
  own: ServiceSums,
  instance: string | null,
  { family, fingerprint }: Evidence,
  by: number,
): void {
  const key = `${instance ?? ''}|${family}`;
  const weights = own.measured.get(key) ?? new Map<string, number>();
  own.measured.set(key, weights);
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
    measured: new Map<string, Map<string, number>>(),
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
