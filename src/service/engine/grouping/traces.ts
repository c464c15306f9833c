import type { Evidence } from '../../core/evidence.ts';
import { setBounded } from '../bounded-map.ts';
import { servicesOf } from '../evidence.ts';
import { LIMITS } from '../limits.ts';

/** Services of which evidence was seen, by trace id. */
export type Traces = Map<string, readonly string[]>;

export function addTrace(traces: Traces, evidence: Evidence): void {
  const { traceId } = evidence;
  if (traceId === null) {
    return;
  }
  const services = new Set([...(traces.get(traceId) ?? []), ...servicesOf(evidence)]);
  setBounded(traces, traceId, [...services], LIMITS.few);
}

/** Whether evidence of both services was seen in one trace. */
export function isLinked(traces: Traces, service: string, other: string): boolean {
  return [...traces.values()].some((services) => services.includes(service) && services.includes(other));
}
