/**
 * Every alert of kube-prometheus (kubernetes-mixin, node-mixin, the mixins of Prometheus, Alertmanager, Grafana and the
 * operator), with the labels that it carries and the service that it is about. Facts from the rules' expressions at
 * prometheus-operator/kube-prometheus 4d719f1 (2026-08-10), and KubeProxy* from kubernetes-mixin: an expression without
 * aggregation keeps the labels of the scraped target and of its metric, `by (…)` keeps those that it lists.
 */
type Labels = Readonly<Record<string, string>>;

/** An alert, its labels besides those of the target, and the service; null: none, so it is called by its own name. */
export type KubernetesAlert = readonly [alert: string, labels: Labels, service: string | null];

/** The labels that a scrape gives to each target, in the chart kube-prometheus-stack (release `kps`). */
const TARGETS = {
  ksm: target(
    'kube-state-metrics',
    'kps-kube-state-metrics',
    'kube-state-metrics',
    'kps-kube-state-metrics-6c7d4b8f9-x2vbq',
  ),
  node: target('node-exporter', 'kps-prometheus-node-exporter', 'node-exporter', 'kps-prometheus-node-exporter-7xk2p'),
  kubelet: {
    job: 'kubelet',
    service: 'kps-kubelet',
    endpoint: 'https-metrics',
    instance: '10.0.0.1:10250',
    namespace: 'kube-system',
    node: 'node-1',
    metrics_path: '/metrics',
  },
  apiserver: {
    job: 'apiserver',
    service: 'kubernetes',
    endpoint: 'https',
    instance: '10.0.0.1:6443',
    namespace: 'default',
  },
  scheduler: target('kube-scheduler', 'kps-kube-scheduler', 'kube-scheduler', 'kube-scheduler-node-1'),
  controller: target(
    'kube-controller-manager',
    'kps-kube-controller-manager',
    'kube-controller-manager',
    'kube-controller-manager-node-1',
  ),
  proxy: target('kube-proxy', 'kps-kube-proxy', 'kube-proxy', 'kube-proxy-9wz4t'),
  prometheus: target('prometheus-k8s', 'prometheus-k8s', 'prometheus', 'prometheus-k8s-0'),
  alertmanager: target('alertmanager-main', 'alertmanager-main', 'alertmanager', 'alertmanager-main-1'),
  operator: target(
    'prometheus-operator',
    'prometheus-operator',
    'prometheus-operator',
    'prometheus-operator-7d9f6c5b4d-k8v2z',
  ),
} as const;

function target(job: string, service: string, container: string, pod: string): Labels {
  return {
    job,
    service,
    container,
    pod,
    namespace: 'monitoring',
    endpoint: 'http-metrics',
    instance: '10.244.0.7:8080',
  };
}

const SHOP = { namespace: 'shop' };
const POD = { ...SHOP, pod: 'payments-5d4f8c7b9d-x7k2p' };

function on(labels: Labels, service: string | null, alerts: string): KubernetesAlert[] {
  return alerts.split(' ').map((alert) => [alert, labels, service]);
}

export const KUBERNETES_ALERTS: readonly KubernetesAlert[] = [
  ...on(
    { ...TARGETS.ksm, ...POD, container: 'payments', reason: 'CrashLoopBackOff', uid: 'u' },
    'payments',
    'KubePodCrashLooping KubeContainerWaiting',
  ),
  ...on({ ...POD, job: 'kube-state-metrics', cluster: '' }, 'payments', 'KubePodNotReady'),
  ...on(
    { ...TARGETS.ksm, ...SHOP, deployment: 'payments' },
    'payments',
    'KubeDeploymentGenerationMismatch KubeDeploymentReplicasMismatch KubeDeploymentRolloutStuck',
  ),
  ...on(
    { ...TARGETS.ksm, ...SHOP, statefulset: 'orders-db' },
    'orders-db',
    'KubeStatefulSetReplicasMismatch KubeStatefulSetGenerationMismatch',
  ),
  ...on(
    { ...SHOP, statefulset: 'orders-db', job: 'kube-state-metrics' },
    'orders-db',
    'KubeStatefulSetUpdateNotRolledOut',
  ),
  ...on(
    { ...TARGETS.ksm, namespace: 'logging', daemonset: 'fluent-bit' },
    'fluent-bit',
    'KubeDaemonSetRolloutStuck KubeDaemonSetNotScheduled KubeDaemonSetMisScheduled',
  ),
  ...on({ ...SHOP, job_name: 'backup-29384750' }, 'backup', 'KubeJobNotCompleted'),
  ...on({ ...TARGETS.ksm, ...SHOP, job_name: 'backup-29384750', condition: 'true' }, 'backup', 'KubeJobFailed'),
  ...on(
    { ...TARGETS.ksm, ...SHOP, horizontalpodautoscaler: 'payments' },
    'payments',
    'KubeHpaReplicasMismatch KubeHpaMaxedOut',
  ),
  ...on({ ...TARGETS.ksm, ...SHOP, poddisruptionbudget: 'payments' }, 'payments', 'KubePdbNotEnoughHealthyPods'),
  ...on(
    { cluster: 'eu-1' },
    null,
    'KubeCPUOvercommit KubeMemoryOvercommit KubeCPUQuotaOvercommit KubeMemoryQuotaOvercommit KubeVersionMismatch KubeAPIErrorBudgetBurn KubeAPITerminatedRequests KubeStateMetricsListErrors KubeStateMetricsWatchErrors KubeStateMetricsShardingMismatch KubeStateMetricsShardsMissing',
  ),
  ...on(
    { ...TARGETS.ksm, ...SHOP, resource: 'pods', resourcequota: 'compute' },
    null,
    'KubeQuotaAlmostFull KubeQuotaFullyUsed KubeQuotaExceeded',
  ),
  ...on(
    { ...POD, container: 'payments', instance: '10.0.0.1:10250', service: 'kps-kubelet' },
    'payments',
    'CPUThrottlingHigh',
  ),
  ...on(
    { ...TARGETS.kubelet, ...SHOP, persistentvolumeclaim: 'data-orders-db-0' },
    null,
    'KubePersistentVolumeFillingUp KubePersistentVolumeInodesFillingUp',
  ),
  ...on({ ...TARGETS.ksm, persistentvolume: 'pvc-1', phase: 'Failed' }, null, 'KubePersistentVolumeErrors'),
  ...on({ job: 'apiserver', instance: '10.0.0.1:6443', namespace: 'default' }, 'apiserver', 'KubeClientErrors'),
  ...on({ job: 'apiserver', instance: '10.0.0.1:6443' }, 'apiserver', 'KubeClientCertificateExpiration'),
  ...on(
    { instance: '10.0.0.1:6443', name: 'v1beta1.metrics.k8s.io', reason: 'FailedDiscoveryCheck' },
    null,
    'KubeAggregatedAPIErrors',
  ),
  ...on({ name: 'v1beta1.metrics.k8s.io', namespace: 'default' }, null, 'KubeAggregatedAPIDown'),
  ...on({ job: 'apiserver' }, 'apiserver', 'KubeAPIDown'),
  ...on(TARGETS.apiserver, 'kubernetes', 'KubeAPIInstanceUnreachable'),
  ...on(
    { ...TARGETS.ksm, node: 'node-1', condition: 'Ready', status: 'true' },
    null,
    'KubeNodeNotReady KubeNodePressure KubeNodeUnreachable',
  ),
  ...on({ cluster: 'eu-1', node: 'node-1' }, null, 'KubeNodeReadinessFlapping'),
  ...on(
    { instance: '10.0.0.1:10250', node: 'node-1' },
    null,
    'KubeletTooManyPods KubeNodeEviction KubeletPlegDurationHigh KubeletPodStartUpLatencyHigh',
  ),
  ...on(
    TARGETS.kubelet,
    null,
    'KubeletClientCertificateExpiration KubeletServerCertificateExpiration KubeletClientCertificateRenewalErrors KubeletServerCertificateRenewalErrors KubeletInstanceUnreachable',
  ),
  ...on({ cluster: 'eu-1' }, null, 'KubeletDown'),
  ...on({ job: 'kube-scheduler' }, 'kube-scheduler', 'KubeSchedulerDown'),
  ...on(TARGETS.scheduler, 'kube-scheduler', 'KubeSchedulerInstanceUnreachable'),
  ...on({ job: 'kube-controller-manager' }, 'kube-controller-manager', 'KubeControllerManagerDown'),
  ...on(TARGETS.controller, 'kube-controller-manager', 'KubeControllerManagerInstanceUnreachable'),
  ...on({ job: 'kube-proxy' }, 'kube-proxy', 'KubeProxyDown'),
  ...on(TARGETS.proxy, 'kube-proxy', 'KubeProxyInstanceUnreachable'),
  ...on(
    { ...TARGETS.node, device: '/dev/sda1', fstype: 'ext4', mountpoint: '/' },
    null,
    'NodeFilesystemSpaceFillingUp NodeFilesystemAlmostOutOfSpace NodeFilesystemFilesFillingUp NodeFilesystemAlmostOutOfFiles',
  ),
  ...on(
    { ...TARGETS.node, device: 'eth0' },
    null,
    'NodeNetworkReceiveErrs NodeNetworkTransmitErrs NodeNetworkInterfaceFlapping NodeDiskIOSaturation NodeRAIDDegraded NodeRAIDDiskFailure',
  ),
  ...on(
    TARGETS.node,
    null,
    'NodeHighNumberConntrackEntriesUsed NodeTextFileCollectorScrapeError NodeClockSkewDetected NodeClockNotSynchronising NodeFileDescriptorLimit NodeCPUHighUsage NodeSystemSaturation NodeMemoryMajorPagesFaults NodeMemoryHighUtilization',
  ),
  ...on(
    { ...TARGETS.node, name: 'nginx.service', state: 'failed', type: 'simple' },
    'nginx',
    'NodeSystemdServiceFailed NodeSystemdServiceCrashlooping',
  ),
  ...on({ ...TARGETS.node, master: 'bond0' }, null, 'NodeBondingDegraded'),
  ...on({ cluster: 'eu-1', job: 'payments', namespace: 'shop', service: 'payments' }, 'payments', 'TargetDown'),
  ...on({}, null, 'Watchdog'),
  ...on(SHOP, null, 'InfoInhibitor'),
  ...on(
    TARGETS.prometheus,
    'prometheus-k8s',
    'PrometheusBadConfig PrometheusSDRefreshFailure PrometheusKubernetesListWatchFailures PrometheusNotificationQueueRunningFull PrometheusErrorSendingAlertsToSomeAlertmanagers PrometheusNotConnectedToAlertmanagers PrometheusTSDBReloadsFailing PrometheusTSDBCompactionsFailing PrometheusNotIngestingSamples PrometheusDuplicateTimestamps PrometheusOutOfOrderTimestamps PrometheusRemoteStorageFailures PrometheusRemoteWriteBehind PrometheusRemoteWriteDesiredShards PrometheusRuleFailures PrometheusMissingRuleEvaluations PrometheusTargetLimitHit PrometheusLabelLimitHit PrometheusScrapeBodySizeLimitHit PrometheusScrapeSampleLimitHit PrometheusTargetSyncFailure PrometheusHighQueryLoad PrometheusErrorSendingAlertsToAnyAlertmanager',
  ),
  ...on(
    TARGETS.alertmanager,
    'alertmanager-main',
    'AlertmanagerFailedReload AlertmanagerMembersInconsistent AlertmanagerFailedToSendAlerts AlertmanagerClusterFailedPeers',
  ),
  ...on(
    { namespace: 'monitoring', service: 'alertmanager-main', integration: 'slack' },
    'alertmanager-main',
    'AlertmanagerClusterFailedToSendAlerts',
  ),
  ...on(
    { namespace: 'monitoring', service: 'alertmanager-main' },
    'alertmanager-main',
    'AlertmanagerConfigInconsistent AlertmanagerClusterDown AlertmanagerClusterCrashlooping',
  ),
  ...on({ namespace: 'monitoring', job: 'grafana', handler: '/api/dashboards' }, 'grafana', 'GrafanaRequestsFailing'),
  ...on(
    { cluster: 'eu-1', controller: 'prometheus', namespace: 'monitoring' },
    null,
    'PrometheusOperatorListErrors PrometheusOperatorWatchErrors PrometheusOperatorReconcileErrors PrometheusOperatorStatusUpdateErrors PrometheusOperatorNotReady',
  ),
  ...on(
    { ...TARGETS.operator, controller: 'prometheus' },
    'prometheus-operator',
    'PrometheusOperatorSyncFailed PrometheusOperatorNodeLookupErrors PrometheusOperatorRejectedResources',
  ),
  ...on({ ...TARGETS.alertmanager, container: 'config-reloader' }, 'alertmanager-main', 'ConfigReloaderSidecarErrors'),
];
