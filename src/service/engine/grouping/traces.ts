import type { Evidence } from '../../core/telemetry-item.ts';
import { setBounded } from '../bounded-map.ts';
import { servicesOf } from '../evidence.ts';

/** Services of which evidence was seen, by trace id. */
export type Traces = Map<string, readonly string[]>;

/** Traces of one incident; the newest are the likeliest to be seen again. */
const MAX_TRACES = 20;

export function addTrace(traces: Traces, evidence: Evidence): void {
  const { traceId } = evidence;
  if (traceId === null) {
    return;
  }
  const services = new Set([...(traces.get(traceId) ?? []), ...servicesOf(evidence)]);
  setBounded(traces, traceId, [...services], MAX_TRACES);
}

/** Whether evidence of both services was seen in one trace. */
export function isLinked(traces: Traces, service: string, other: string): boolean {
  return [...traces.values()].some((services) => services.includes(service) && services.includes(other));
}
