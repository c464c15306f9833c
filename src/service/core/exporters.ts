/**
 * Programs that report on others: a service or job with their name is where a metric was read, not what fails. Also with
 * the release in front (`kube-prometheus-stack-kube-state-metrics`) and the number of a pod behind.
 */
const EXPORTERS = [
  'kube-state-metrics',
  'node-exporter',
  'exporter',
  'cadvisor',
  'kubelet',
  'kube-rbac-proxy',
  'pushgateway',
  'blackbox',
  'snmp',
  'statsd',
  'telegraf',
  'netdata',
  'collectd',
  'metrics-server',
  'opencost',
  'opentelemetry-collector',
  'otel-collector',
  'grafana-agent',
  'alloy',
  'k8s-monitoring',
  'prometheus-adapter',
];

const NAMED = new RegExp(`(?:^|[-_/])(?:${EXPORTERS.join('|')})(?:-metrics)?$`, 'i');

/** @param name of a service, job, app, container or workload */
export function isExporter(name: string): boolean {
  return name.length <= 253 && NAMED.test(name);
}

/** Jobs that scrape machines in the documents of Prometheus. */
const OF_MACHINES = /^(?:nodes?|windows)$/;
/** Exporters of what Kubernetes runs: the labels of an object are its own, also `namespace` and `pod`. */
const OF_OBJECTS = /(?:^|[-_/])(?:kube-state-metrics|cadvisor|kubelet|metrics-server|opencost)(?:-metrics)?$/i;

/** Labels of an alert that are those of the exporter which reports it. */
export function reporterLabels(labels: Readonly<Record<string, unknown>>): readonly string[] {
  const name = ['job', 'service', 'container'].map((label) => labels[label]).find((value) => typeof value === 'string');
  if (typeof name !== 'string' || !(isExporter(name) || OF_MACHINES.test(name))) {
    return [];
  }
  return OF_OBJECTS.test(name)
    ? ['job', 'service', 'endpoint', 'instance']
    : ['job', 'service', 'endpoint', 'container', 'pod', 'namespace'];
}
