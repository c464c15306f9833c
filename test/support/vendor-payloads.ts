/**
 * Payloads of products, written by hand from the references that their decoders name (`src/service/ingest/vendors`), read
 * on 2026-11-23, and where it says so on 2026-11-25. Names and ids are made up.
 */

export const cloudWatchAlarm = (state: 'ALARM' | 'OK' | 'INSUFFICIENT_DATA', changedAt: string) => ({
  AlarmName: 'payments-errors-high',
  AlarmDescription: 'more than 5 errors a minute',
  AWSAccountId: '000000000000',
  AlarmConfigurationUpdatedTimestamp: '2026-01-30T10:00:00.000+0000',
  NewStateValue: state,
  NewStateReason: 'Threshold Crossed: 1 datapoint [7.0] was greater than the threshold (5.0).',
  StateChangeTime: changedAt,
  Region: 'EU (Frankfurt)',
  AlarmArn: 'arn:aws:cloudwatch:eu-central-1:000000000000:alarm:payments-errors-high',
  OldStateValue: state === 'OK' ? 'ALARM' : 'OK',
  OKActions: [],
  AlarmActions: ['arn:aws:sns:eu-central-1:000000000000:alarms'],
  InsufficientDataActions: [],
  Trigger: {
    MetricName: 'Errors',
    Namespace: 'AWS/Lambda',
    StatisticType: 'Statistic',
    Statistic: 'SUM',
    Unit: null,
    Dimensions: [{ value: 'payments', name: 'FunctionName' }],
    Period: 60,
    EvaluationPeriods: 1,
    ComparisonOperator: 'GreaterThanThreshold',
    Threshold: 5.0,
    TreatMissingData: '',
    EvaluateLowSampleCountPercentile: '',
  },
});

/** Of several metrics: aws/aws-lambda-go, `events/sns.go`, read on 2026-11-25. */
export const cloudWatchMathAlarm = () => {
  const { Trigger, ...alarm } = cloudWatchAlarm('ALARM', '2026-01-31T08:00:00.000+0000');
  const { MetricName, Namespace, Dimensions, Period, EvaluationPeriods, ComparisonOperator, Threshold } = Trigger;
  const metric = (Id: string, name: string) => ({
    Id,
    MetricStat: { Metric: { Dimensions, MetricName: name, Namespace }, Period, Stat: 'Sum' },
    ReturnData: false,
  });
  const Metrics = [
    { Expression: 'm1 / m2', Id: 'e1', Label: 'Error rate', ReturnData: true },
    metric('m1', MetricName),
    metric('m2', 'Invocations'),
  ];
  return { ...alarm, Trigger: { Period, EvaluationPeriods, ComparisonOperator, Threshold, Metrics } };
};

export const datadogEvent = (transition: string) => ({
  id: '7654321',
  title: `[P2] [${transition} on {service:payments}] High error rate`,
  body: 'errors are above 5 %',
  date: '1769846400000',
  event_type: 'query_alert_monitor',
  transition,
  alert_type: transition === 'Recovered' ? 'success' : 'error',
  alert_id: '1234',
  cycle_key: '998877',
  aggregation_key: '9bd4ac313a4d1e8fae2482df7b77628',
  priority: 'P2',
  tags: 'monitor, service:payments, env:prod, team:checkout',
  hostname: 'i-0abc',
  scope: 'service:payments',
  link: 'https://app.datadoghq.com/event/event?id=7654321',
});

/** Without a payload of one's own. */
export const datadogDefault = (title: string) => ({
  body: 'errors are above 5 %',
  last_updated: '1769846400000',
  event_type: 'query_alert_monitor',
  title,
  date: '1769846400000',
  org: { id: '1', name: 'shop' },
  id: '7654321',
});

export const newRelicIssue = (state: string) => ({
  id: 'd1b1f3fd-995a-4066-88ab-8ce4f6960654',
  issueUrl: 'https://radar-api.service.newrelic.com/accounts/1/issues/0ea2df1c',
  title: 'payments query result is > 5.0 for 5 minutes on "High error rate"',
  priority: 'CRITICAL',
  impactedEntities: ['payments', 'orders'],
  totalIncidents: '1',
  state,
  trigger: 'STATE_CHANGE',
  isCorrelated: 'false',
  createdAt: 1769846400000,
  updatedAt: 1769846460000,
  sources: ['newrelic'],
  alertPolicyNames: ['Checkout'],
  alertConditionNames: ['High error rate'],
  workflowName: 'To Tocsin',
});

const sentryActor = { id: 'sentry', name: 'Sentry', type: 'application' };

export const sentryIssue = (action: string) => ({
  action,
  actor: sentryActor,
  installation: { uuid: '24b3f0d2-8c3b-4a5e-9e2d-000000000000' },
  data: {
    issue: {
      id: '1170820242',
      shortId: 'PAYMENTS-1A',
      title: 'TimeoutError: the gateway did not answer',
      culprit: 'charge',
      level: 'error',
      status: 'unresolved',
      permalink: 'https://sentry.io/organizations/shop/issues/1170820242/',
      project: { id: '1', name: 'Payments', slug: 'payments', platform: 'node' },
      firstSeen: '2026-01-31T08:00:00.000000Z',
      lastSeen: '2026-01-31T08:00:00.000000Z',
      count: '1',
    },
  },
});

export const sentryEvent = {
  action: 'triggered',
  actor: sentryActor,
  data: {
    event: {
      event_id: 'e4874d664c3540c1a32eab185f12c5ab',
      issue_id: '1170820242',
      title: 'TimeoutError: the gateway did not answer',
      culprit: 'charge',
      level: 'fatal',
      datetime: '2026-01-31T08:00:00.000000Z',
      environment: 'production',
      tags: [
        ['service', 'payments'],
        ['server_name', 'payments-7d9'],
      ],
      project: 1,
      web_url: 'https://sentry.io/organizations/shop/issues/1170820242/events/e4874d664c3540c1a32eab185f12c5ab/',
    },
    triggered_rule: 'Errors of payments',
  },
};

/** getsentry/sentry, `plugins/sentry_webhooks/plugin.py`, read on 2026-11-26. */
export const sentryPlugin = {
  id: '1170820242',
  project: 'payments',
  project_name: 'Payments',
  project_slug: 'payments',
  logger: null,
  level: 'fatal',
  culprit: 'charge',
  message: '',
  url: 'https://sentry.io/organizations/shop/issues/1170820242/?referrer=webhooks_plugin',
  triggering_rules: ['Errors of payments'],
  event: {
    event_id: 'e4874d664c3540c1a32eab185f12c5ab',
    title: 'TimeoutError: the gateway did not answer',
    environment: 'production',
    tags: [
      ['environment', 'production'],
      ['level', 'fatal'],
    ],
  },
};

export const sentryMetricAlert = (action: 'critical' | 'warning' | 'resolved') => ({
  action,
  actor: sentryActor,
  data: {
    description_text: '1000 events in the last 10 minutes',
    description_title: `${action === 'resolved' ? 'Resolved' : 'Critical'}: Too many errors`,
    metric_alert: {
      id: '7',
      identifier: '1',
      alert_rule: { id: '4', name: 'Too many errors', environment: null, projects: ['payments'] },
      date_started: '2026-01-31T08:00:00Z',
      date_closed: null,
      projects: ['payments'],
      status: 20,
      title: 'Too many errors',
    },
    web_url: 'https://sentry.io/organizations/shop/alerts/rules/details/4/',
  },
});

export const zabbixEvent = (value: '0' | '1') => ({
  event_id: '55001',
  event_value: value,
  event_update_status: '0',
  event_name: 'Disk space is low on /var',
  event_nseverity: '4',
  event_timestamp: '1769846400',
  event_tags: '[{"tag":"service","value":"payments"},{"tag":"scope","value":"capacity"}]',
  event_opdata: '97 %',
  host_name: 'db-1',
  trigger_id: '13501',
  trigger_url: '',
  service_name: '{SERVICE.NAME}',
});

/** Of a business service: macros of triggers and hosts stay as they are (zabbix.com/documentation 7.0, 2026-11-25). */
export const zabbixServiceEvent = (value: '0' | '1', id: string) => ({
  ...zabbixEvent(value),
  event_id: id,
  event_name: 'Status of service "payments" changed to High',
  event_tags: '[]',
  event_opdata: '{EVENT.OPDATA}',
  host_name: '*UNKNOWN*',
  trigger_id: '{TRIGGER.ID}',
  trigger_url: '{TRIGGER.URL}',
  service_name: 'payments',
});

export const uptimeKumaEvent = (status: 0 | 1 | 2 | 3) => ({
  heartbeat: {
    monitorID: 3,
    status,
    time: '2026-01-31 08:00:00.123',
    msg: 'Request failed with status code 502',
    important: true,
    duration: 60,
    timezone: 'Europe/Berlin',
    localDateTime: '2026-01-31 09:00:00',
  },
  monitor: {
    id: 3,
    name: 'payments',
    url: 'https://pay.example.com/health',
    hostname: null,
    port: null,
    type: 'http',
    interval: 60,
    tags: [{ name: 'team', value: 'checkout', color: '#fff' }],
  },
  msg: '[payments] [🔴 Down] Request failed with status code 502',
});

export const gitHubDeployment = (state: string) => ({
  action: 'created',
  deployment_status: {
    id: 2,
    state,
    environment: 'production',
    description: '',
    target_url: '',
    created_at: '2026-01-31T08:00:00Z',
  },
  deployment: {
    id: 1,
    sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
    ref: 'main',
    task: 'deploy',
    environment: 'production',
    created_at: '2026-01-31T07:59:00Z',
  },
  repository: { id: 3, name: 'payments', full_name: 'shop/payments' },
  sender: { login: 'ana' },
});

export const gitHubRelease = (action: string) => ({
  action,
  release: {
    id: 4,
    tag_name: 'v1.8.2',
    name: '1.8.2',
    draft: false,
    prerelease: false,
    published_at: '2026-01-31T08:00:00Z',
  },
  repository: { id: 3, name: 'payments', full_name: 'shop/payments' },
});

export const gitLabDeployment = (status: string) => ({
  object_kind: 'deployment',
  status,
  status_changed_at: '2026-01-31 09:00:00 +0100',
  deployment_id: 15,
  deployable_id: 796,
  environment: 'production',
  environment_tier: 'production',
  project: { id: 30, name: 'Our Payments', path_with_namespace: 'shop/payments', default_branch: 'main' },
  short_sha: '279484c0',
  ref: 'main',
  commit_title: 'Retry the gateway',
});

export const gitLabRelease = {
  object_kind: 'release',
  id: 1,
  created_at: '2026-01-31 08:00:00 UTC',
  released_at: '2026-01-31 08:00:00 UTC',
  tag: 'v1.8.2',
  name: '1.8.2',
  action: 'create',
  project: { id: 30, name: 'Our Payments', path_with_namespace: 'shop/payments' },
};

export const argoCdNotification = (phase: string, health: string) => ({
  app: 'payments',
  project: 'shop',
  phase,
  health,
  revision: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
  message: 'one or more objects failed to apply',
  finished_at: '2026-01-31T08:00:00Z',
  url: 'https://argocd.example.com/applications/payments',
});

/** fluxcd/kustomize-controller, `internal/controller/kustomization_controller.go`, read on 2026-11-25. */
const FLUX_MESSAGES: Readonly<Record<string, string>> = {
  HealthCheckFailed: 'health check failed: Deployment/payments',
  BuildFailed: 'kustomize build failed: no such file',
  Progressing: 'Deployment/shop/payments configured',
};

export const fluxEvent = (
  severity: 'info' | 'error',
  reason: string,
  message = FLUX_MESSAGES[reason] ?? 'reconciliation finished in 5s',
) => ({
  involvedObject: {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    name: 'payments',
    namespace: 'flux-system',
    uid: '7d0cdc51-ddcf-4743-b223-83ca5c699632',
  },
  severity,
  timestamp: '2026-01-31T08:00:00Z',
  message,
  reason,
  reportingController: 'kustomize-controller',
  reportingInstance: 'kustomize-controller-7c5',
  metadata: { revision: 'main@sha1:f95f852bd8fca8fcc58a9a2d6c842781e32a215e' },
});
