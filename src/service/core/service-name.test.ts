import { describe, expect, it } from 'vitest';
import { KUBERNETES_ALERTS } from '../../../test/support/kubernetes-alerts.ts';
import { nameService } from './service-name.ts';
import type { Attributes } from './telemetry.ts';

describe('the alerts of kube-prometheus', () => {
  it.each(KUBERNETES_ALERTS)('%s is about its service', (alert, labels, service) => {
    const named = nameService({ labels: { alertname: alert, ...labels }, otherwise: { "the alert's name": alert } });

    expect(named.service).toBe(service ?? alert);
  });

  it('are never named after an exporter', () => {
    const services = KUBERNETES_ALERTS.map(([alert, labels]) => nameService({ labels, otherwise: { alert } }).service);

    expect(services.filter((name) => /exporter|kube-state-metrics|kubelet$|cadvisor|rbac/.test(name))).toEqual([]);
  });
});

/** Steps in their order: what names the service if all that stand above are absent. */
const STEPS: readonly [label: string, value: string, service: string][] = [
  ['service.name', 'by-service-name', 'by-service-name'],
  ['app_kubernetes_io_name', 'by-app-name', 'by-app-name'],
  ['deployment', 'by-deployment', 'by-deployment'],
  ['statefulset', 'by-statefulset', 'by-statefulset'],
  ['daemonset', 'by-daemonset', 'by-daemonset'],
  ['job_name', 'by-job-29384750', 'by-job'],
  ['cronjob', 'by-cronjob', 'by-cronjob'],
  ['horizontalpodautoscaler', 'by-hpa', 'by-hpa'],
  ['poddisruptionbudget', 'by-pdb', 'by-pdb'],
  ['destination_service_name', 'by-mesh', 'by-mesh'],
  ['container_label_com_docker_compose_service', 'by-compose', 'by-compose'],
  ['dimension_FunctionName', 'by-dimension', 'by-dimension'],
  ['name', 'by-unit.service', 'by-unit'],
  ['pod', 'by-pod-5d4f8c7b9d-x7k2p', 'by-pod'],
  ['container', 'by-container', 'by-container'],
  ['app', 'by-app', 'by-app'],
  ['application', 'by-application', 'by-application'],
  ['service', 'by-service', 'by-service'],
  ['job', 'by-job', 'by-job'],
];

it.each(STEPS.map(([label, , service], index) => [label, service, index] as const))(
  'says that %s named the service %s',
  (label, service, index) => {
    const labels = {
      namespace: 'shop',
      ...Object.fromEntries(STEPS.slice(index).map(([name, value]) => [name, value])),
    };

    const named = nameService({ labels, otherwise: { "the alert's name": 'HighErrorRate' } });

    expect(named).toEqual({ service, by: `label ${label.replace('.', '_').toLowerCase()}` });
  },
);

it.each<[string, Attributes, string]>([
  ['a known exporter', { job: 'node-exporter', service: 'kps-prometheus-node-exporter' }, 'X'],
  ['an exporter of a chart', { app_kubernetes_io_name: 'prometheus-mysql-exporter', job: 'mysql_exporter' }, 'X'],
  ['a scrape of all pods', { job: 'kubernetes-pods' }, 'X'],
  ['a monitor', { job: 'serviceMonitor/monitoring/kps-kubelet/0' }, 'X'],
  ['the path of Alloy', { job: 'integrations/unix' }, 'X'],
  ['an SDK that knows no name', { 'service.name': 'unknown_service:java' }, 'X'],
  [
    'an exporter with labels of its own',
    {
      job: 'kubernetes-service-endpoints',
      app_kubernetes_io_name: 'my-probe',
      service: 'my-probe',
      pod: 'my-probe-5d4f8c7b9d-x7k2p',
      exported_namespace: 'shop',
      exported_pod: 'payments-5d4f8c7b9d-x7k2p',
    },
    'payments',
  ],
  ['a probe of another', { job: 'probes', service: 'probes', exported_service: 'payments' }, 'payments'],
  ['a container without a namespace', { container: 'web-1' }, 'X'],
])('does not name %s', (_, labels, service) => {
  expect(nameService({ labels, otherwise: { 'the name': 'X' } }).service).toBe(service);
});

it.each<[string, Attributes, string]>([
  [
    'Istio',
    { job: 'envoy-stats', destination_service_name: 'reviews', destination_workload: 'reviews-v1', pod: 'web-0' },
    'reviews',
  ],
  ['Istio, by host', { job: 'istio-mesh', destination_service: 'ratings.shop.svc.cluster.local' }, 'ratings'],
  ['Istio, which knows no service', { destination_service_name: 'PassthroughCluster', app: 'web' }, 'web'],
  ['Istio, which knows the workload', { destination_service_name: 'unknown', destination_workload: 'web' }, 'web'],
  ['Traefik', { job: 'traefik', exported_service: 'checkout@docker', service: 'traefik' }, 'checkout'],
  ['Traefik, scraped without a service', { job: 'traefik', service: 'checkout@file' }, 'checkout'],
  ['systemd', { job: 'node', instance: 'web-1:9100', name: 'nginx.service', state: 'failed' }, 'nginx'],
  ['systemd, an instance of a unit', { job: 'node', name: 'worker@3.service' }, 'worker'],
  ['systemd, another unit', { job: 'node', name: 'data.mount' }, 'X'],
  [
    'cAdvisor with Docker Compose',
    { job: 'cadvisor', name: 'shop-payments-1', container_label_com_docker_compose_service: 'payments' },
    'payments',
  ],
  ['YACE', { job: 'yace', name: 'arn:aws:sqs:eu-1:1:orders', dimension_QueueName: 'orders' }, 'orders'],
  ['Spring Boot', { job: 'spring', application: 'billing' }, 'billing'],
  ['an add-on of Kubernetes', { job: 'kubernetes-pods', k8s_app: 'kube-dns' }, 'kube-dns'],
  ['the host of the scrape job that Prometheus documents', { job: 'node', instance: 'db-7:9100' }, 'X'],
])('names what %s tells about', (_, labels, service) => {
  expect(nameService({ labels, otherwise: { 'the name': 'X' } }).service).toBe(service);
});

it.each([
  ['payments-5d4f8c7b9d-x7k2p', 'payments'],
  ['fluent-bit-x7k2p', 'fluent-bit'],
  ['orders-db-0', 'orders-db'],
  ['backup-29384750-x7k2p', 'backup'],
  ['kube-apiserver-node-1', 'kube-apiserver'],
  ['checkout-api', ''],
  ['payments', ''],
])('finds the owner of the pod %s', (pod, owner) => {
  const { service } = nameService({ labels: { pod }, otherwise: { pod: '-' } });

  expect(service).toBe(owner === '' ? '-' : owner);
});

it('adds the component where the name is the whole', () => {
  const labels = {
    app_kubernetes_io_name: 'shop',
    app_kubernetes_io_component: 'payments',
    app_kubernetes_io_part_of: 'shop',
  };

  expect(nameService({ labels }).service).toBe('shop-payments');
  expect(nameService({ labels: { ...labels, app_kubernetes_io_part_of: 'platform' } }).service).toBe('shop');
});

it('prefers what the sender names, and admits that nothing does', () => {
  expect(nameService({ given: ['', null, 'orders'], labels: { deployment: 'payments' } })).toEqual({
    service: 'orders',
    by: 'the sender',
  });
  expect(nameService({})).toEqual({ service: 'unknown', by: 'nothing' });
});
