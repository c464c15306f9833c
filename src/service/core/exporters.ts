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
