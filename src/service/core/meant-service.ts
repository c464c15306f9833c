import { serviceOfHost } from './peer.ts';

/** Dimensions of CloudWatch that say what they name. `Service` and `TargetGroup` do not, and are names. */
const NAMING = /(?:name|id|identifier|arn|service|group|balancer)$/i;
/** What they name holds others: a service wins, and these come last. */
const SERVICE = /service(?:name)?$/i;
const WIDE = /(?:balancer|group|cluster|stage)(?:name|identifier)?$/i;

/** Dimensions that name what a metric is about, the most specific first. The value may be an ARN, or a path with an id. */
export function namingDimensions(dimensions: Readonly<Record<string, string>>): (readonly [string, string])[] {
  const widthOf = (name: string) => (SERVICE.test(name) ? 0 : WIDE.test(name) && !/target/i.test(name) ? 2 : 1);
  return Object.entries(dimensions)
    .filter(([name, value]) => NAMING.test(name) && !/^\d*$/.test(value))
    .toSorted(([a], [b]) => widthOf(a) - widthOf(b));
}

/**
 * Labels by which a mesh or a container runtime says which service it tells about, the likeliest first,
 * each with what makes its value a name. Labels are in lower case, with underscores.
 */
export const MEANT_SERVICES: readonly (readonly [label: string, read: (value: string) => string])[] = [
  ...['canonical_service', 'service_name', 'service', 'app', 'workload'].map(
    (part) => [`destination_${part}`, nameOfDestination] as const,
  ),
  ...['com_docker_compose_service', 'com_docker_swarm_service_name'].flatMap((label) => [
    [`container_label_${label}`, asItIs] as const,
    [label, asItIs] as const,
  ]),
];

/** What Istio says where it does not know the service. */
const NO_DESTINATION = /^(?:unknown|(?:inbound)?passthroughcluster.*|blackholecluster)$/i;

function nameOfDestination(value: string): string {
  return NO_DESTINATION.test(value) ? '' : serviceOfHost(value);
}

/** `nginx.service` and `worker@3.service` of systemd; other names are not of services. */
export function nameOfUnit(value: string): string {
  return /^([^@]+?)(?:@.*)?\.service$/.exec(value)?.[1] ?? '';
}

function asItIs(value: string): string {
  return value;
}
