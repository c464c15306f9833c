import { UNNAMED } from './service-name.ts';
import type { MetricPoint } from './telemetry.ts';
import { clip, TEXT_LIMITS, textOf } from './text.ts';

/** What named a service of which nothing but the host is known. */
export const BY_HOST = 'the host';

/** Names of metrics that begin so tell about whatever the resource names: its host, its runtime or its calls. */
const OF_RESOURCE =
  /^(?:system|process|host|hw|container|k8s|jvm|go|nodejs|v8js|dotnet|aspnetcore|kestrel|cpython|http|rpc|db|messaging|dns|faas)$/;
/** Attributes that name who takes messages from a queue: its backlog is theirs. */
const CONSUMERS = ['messaging.consumer.group.name', 'group', 'consumer_group', 'consumergroup'];

/**
 * The service that a point measures. Receivers of the Collector read brokers, databases and hosts that have no
 * `service.name`: the consumers of a queue are known by their group, a server by how its metrics begin (`kafka.brokers` is of
 * `kafka`), all else by its host.
 */
export function measuredService({ resource, metric, attributes }: MetricPoint): string {
  const { service, serviceBy } = resource;
  if (serviceBy !== BY_HOST && serviceBy !== UNNAMED) {
    return service;
  }
  const consumers = CONSUMERS.map((key) => textOf(attributes[key]).trim()).find((name) => name !== '');
  const [kind = '', ...rest] = metric.name.split('.');
  const server = rest.length === 0 || OF_RESOURCE.test(kind) ? '' : kind;
  return clip(consumers ?? (server || service), TEXT_LIMITS.service);
}
