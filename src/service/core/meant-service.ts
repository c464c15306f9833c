import { serviceOfHost } from './peer.ts';

/** Dimensions of CloudWatch that name what a metric is about, the most specific first. */
export const CLOUDWATCH_DIMENSIONS = [
  'ServiceName',
  'Service',
  'FunctionName',
  'ApiName',
  'TargetGroup',
  'DBInstanceIdentifier',
  'DBClusterIdentifier',
  'QueueName',
  'TopicName',
  'TableName',
  'CacheClusterId',
  'LoadBalancer',
  'ClusterName',
] as const;

/**
 * Labels by which a mesh, a container runtime, systemd or a cloud says which service it tells about, the likeliest first,
 * each with what makes its value a name. Labels are in lower case, with underscores.
 */
export const MEANT_SERVICES: readonly (readonly [label: string, read: (value: string) => string])[] = [
  ...['canonical_service', 'service_name', 'service', 'app', 'workload'].map(
    (part) => [`destination_${part}`, nameOfDestination] as const,
  ),
  ['container_label_com_docker_compose_service', asItIs],
  ['container_label_com_docker_swarm_service_name', asItIs],
  ...CLOUDWATCH_DIMENSIONS.map((dimension) => [`dimension_${dimension.toLowerCase()}`, asItIs] as const),
  ['name', nameOfUnit],
];

/** What Istio says where it does not know the service. */
const NO_DESTINATION = /^(?:unknown|(?:inbound)?passthroughcluster.*|blackholecluster)$/i;

function nameOfDestination(value: string): string {
  return NO_DESTINATION.test(value) ? '' : serviceOfHost(value);
}

/** `nginx.service` and `worker@3.service` of systemd; other names are not of services. */
function nameOfUnit(value: string): string {
  return /^([^@]+?)(?:@.*)?\.service$/.exec(value)?.[1] ?? '';
}

function asItIs(value: string): string {
  return value;
}
