import { DECLARED } from './declared-signal.ts';
import type { Attributes, Resource } from './telemetry.ts';
import { keepable } from './text.ts';

/** The format of the engine's findings, in the source of their signals. */
export const FINDING = 'tocsin';

/** Formats of signals that are no failures: a finding is repeated with each report of metrics, and a declaration is a person's. */
export const UNCOUNTED_FORMATS: readonly string[] = [FINDING, DECLARED];

/** Resource attributes that are stored with each signal of the sender. */
const SOURCE_ATTRIBUTES = [
  'service.namespace',
  'service.version',
  'service.instance.id',
  'team',
  'deployment.environment.name',
  'deployment.environment',
  'cloud.region',
  'host.name',
  'k8s.cluster.name',
  'k8s.namespace.name',
  'k8s.pod.name',
];

export function otlpSource(resource: Resource): Attributes {
  const known = Object.entries(resource.attributes).filter(([key]) => SOURCE_ATTRIBUTES.includes(key));
  const by = resource.serviceBy === undefined ? {} : { service_by: resource.serviceBy };
  return { format: 'otlp', ...by, ...keepable(Object.fromEntries(known)) };
}
