import type { ObservedSignal } from './signal.ts';
import type { Attributes, Resource } from './telemetry.ts';
import { keepable } from './text.ts';

/** What of the sender is worth keeping with each of its signals. */
const SOURCE_ATTRIBUTES = [
  'service.namespace',
  'service.version',
  'service.instance.id',
  'deployment.environment.name',
  'host.name',
  'k8s.namespace.name',
  'k8s.pod.name',
];

export function otlpSource(resource: Resource): Attributes {
  const known = Object.entries(resource.attributes).filter(([key]) => SOURCE_ATTRIBUTES.includes(key));
  return { format: 'otlp', ...keepable(Object.fromEntries(known)) };
}

/** Folds equal failures into the earliest of them, which then stands for all. */
export function foldSignals(signals: readonly ObservedSignal[]): ObservedSignal[] {
  const folded = new Map<string, ObservedSignal>();
  for (const signal of signals) {
    const twin = folded.get(signal.fingerprint);
    folded.set(signal.fingerprint, twin === undefined ? signal : fold(twin, signal));
  }
  return [...folded.values()];
}

function fold(one: ObservedSignal, other: ObservedSignal): ObservedSignal {
  const earliest = other.observedAt < one.observedAt ? other : one;
  return { ...earliest, occurrences: one.occurrences + other.occurrences };
}
