import type { Attributes, Resource } from './telemetry.ts';
import { keepable } from './text.ts';

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
