import type { Resource } from './telemetry.ts';
import { clip, TEXT_LIMITS, textOf } from './text.ts';

/** Where a span ran, besides its service and its instance. */
export type ResourceAttribute = 'version' | 'pod' | 'host' | 'zone' | 'region' | 'environment';
export type ResourceAttributes = Readonly<Partial<Record<ResourceAttribute, string>>>;

/** OpenTelemetry's attributes that give each, the first that is not empty. */
const NAMES: readonly (readonly [ResourceAttribute, readonly string[]])[] = [
  ['version', ['service.version']],
  ['pod', ['k8s.pod.name']],
  ['host', ['k8s.node.name', 'host.name']],
  ['zone', ['cloud.availability_zone']],
  ['region', ['cloud.region']],
  ['environment', ['deployment.environment.name', 'deployment.environment']],
];

/** @returns null: the sender says nothing about where it runs */
export function resourceAttributesOf({ attributes }: Resource): ResourceAttributes | null {
  const found = NAMES.flatMap(([name, keys]) => {
    const value = keys.map((key) => textOf(attributes[key]).trim()).find((text) => text !== '');
    return value === undefined ? [] : [[name, clip(value, TEXT_LIMITS.service)] as const];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}
