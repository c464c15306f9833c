import { INGEST_PATHS, type IncomingType } from '../../../contract/integrations.ts';
import { isVendor, vendorSnippets } from './vendor-set-up.ts';

/** What to paste into a sender. */
export interface Snippet {
  readonly title: string;
  readonly text: string;
}

/**
 * @param publicUrl without a slash at the end
 * @param key the ingest key, or a placeholder for it
 */
export function snippetsFor(type: IncomingType, publicUrl: string, key: string): Snippet[] {
  const url = publicUrl + INGEST_PATHS[type];
  if (isVendor(type)) {
    return vendorSnippets(type, url, key);
  }
  switch (type) {
    case 'otlp':
      return [
        { title: 'OpenTelemetry SDK: environment', text: sdkEnvironment(url, key) },
        { title: 'OpenTelemetry Collector: YAML', text: collectorYaml(url, key) },
      ];
    case 'alertmanager':
      return [
        { title: 'Alertmanager: YAML', text: alertmanagerYaml(url, key) },
        { title: 'Prometheus, if it does not use Alertmanager yet: YAML', text: PROMETHEUS_YAML },
      ];
    case 'prometheus':
      return [
        { title: 'Prometheus: YAML', text: prometheusYaml(new URL(url), key) },
        {
          title: 'Try it with amtool',
          text: `amtool --alertmanager.url=${url}/${key} alert add try service=my-service`,
        },
      ];
    case 'grafana':
      return [
        {
          title: 'Contact point of type webhook: URL, and authorization header (scheme Bearer)',
          text: `${url}\n${key}`,
        },
        { title: 'Provisioning file of Grafana: YAML', text: grafanaYaml(url, key) },
      ];
    case 'pagerduty_events':
      return [
        { title: 'Any sender of PagerDuty’s Events API v2', text: `URL          ${url}\nrouting key  ${key}` },
        { title: 'Try it', text: curl(url, null, 'application/json', pagerDutyEvent(key)) },
      ];
    case 'opsgenie':
      return [
        { title: 'Alertmanager: YAML', text: opsgenieYaml(publicUrl, key) },
        { title: 'Any sender of Opsgenie’s Alert API: API URL and key', text: `${publicUrl}\n${key}` },
        { title: 'Try it', text: curl(url, key, 'application/json', OPSGENIE_ALERT).replace('Bearer', 'GenieKey') },
      ];
    case 'oncall':
      return [
        { title: 'Addresses, in place of those of OnCall', text: onCallAddresses(url, key) },
        { title: 'Try it', text: curl(`${url}/formatted_webhook/${key}/`, null, 'application/json', FORMATTED) },
      ];
    case 'cloudevents':
      return [{ title: 'Try it', text: curl(url, key, 'application/cloudevents+json', CLOUD_EVENT) }];
    case 'json':
      return [
        { title: 'URL, for senders that can set no header', text: `${url}?token=${key}` },
        { title: 'Try it', text: curl(url, key, 'application/json', { title: 'a test of Tocsin' }) },
      ];
    case 'generic':
      return [{ title: 'Try it', text: curl(url, key, 'application/json', GENERIC_EVENT) }];
    case 'heartbeat':
      return heartbeatSnippets(publicUrl, `${url}?token=${key}`, key);
  }
}

function heartbeatSnippets(publicUrl: string, url: string, key: string): Snippet[] {
  return [
    {
      title: 'cron: after the job',
      text: `0 3 * * * /usr/local/bin/backup && curl -fsS --retry 5 -o /dev/null '${url}'`,
    },
    { title: 'Alertmanager, for the alert Watchdog of Prometheus: YAML', text: watchdogYaml(url) },
    {
      title: 'Opsgenie: heartbeat',
      text: `curl -fsS -H 'Authorization: GenieKey ${key}' ${publicUrl}/v2/heartbeats/<NAME>/ping`,
    },
    {
      title: 'Grafana OnCall: heartbeat',
      text: `curl -fsS -X POST ${publicUrl}/integrations/v1/webhook/${key}/heartbeat/`,
    },
  ];
}

function watchdogYaml(url: string): string {
  return `route:
  routes:
    - matchers: [alertname="Watchdog"]
      receiver: tocsin-heartbeat
      group_wait: 0s
      group_interval: 30s
      repeat_interval: 30s
receivers:
  - name: tocsin-heartbeat
    webhook_configs:
      - url: ${url}
        send_resolved: false
`;
}

/** Header values are URL-encoded here; older SDKs refuse a plain space. */
function sdkEnvironment(url: string, key: string): string {
  return [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${url}`,
    'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    `OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20${key}"`,
  ].join('\n');
}

/** A whole configuration, so that it runs as it is. */
function collectorYaml(url: string, key: string): string {
  return `receivers:
  otlp:
    protocols:
      grpc: { endpoint: 0.0.0.0:4317 }
      http: { endpoint: 0.0.0.0:4318 }
exporters:
  otlphttp/tocsin:
    endpoint: ${url}
    headers:
      authorization: "Bearer ${key}"
service:
  pipelines:
    traces: { receivers: [otlp], exporters: [otlphttp/tocsin] }
    metrics: { receivers: [otlp], exporters: [otlphttp/tocsin] }
    logs: { receivers: [otlp], exporters: [otlphttp/tocsin] }
`;
}

function alertmanagerYaml(url: string, key: string): string {
  return `route:
  receiver: tocsin
receivers:
  - name: tocsin
    webhook_configs:
      - url: ${url}
        http_config:
          authorization: { credentials: ${key} }
`;
}

const PROMETHEUS_YAML = `alerting:
  alertmanagers:
    - static_configs:
        - targets: ["alertmanager:9093"]
`;

function prometheusYaml({ protocol, host, pathname }: URL, key: string): string {
  return `alerting:
  alertmanagers:
    - scheme: ${protocol.replace(':', '')}
      path_prefix: ${pathname}
      authorization: { credentials: ${key} }
      static_configs:
        - targets: ["${host}"]
`;
}

function grafanaYaml(url: string, key: string): string {
  return `apiVersion: 1
contactPoints:
  - name: tocsin
    receivers:
      - uid: tocsin
        type: webhook
        settings:
          url: ${url}
          authorization_scheme: Bearer
          authorization_credentials: ${key}
`;
}

function pagerDutyEvent(key: string): object {
  const payload = { summary: 'a test of Tocsin', source: 'my-service', severity: 'warning' };
  return { routing_key: key, event_action: 'trigger', payload };
}

function opsgenieYaml(publicUrl: string, key: string): string {
  return `route:
  receiver: tocsin
receivers:
  - name: tocsin
    opsgenie_configs:
      - api_url: ${publicUrl}/
        api_key: ${key}
`;
}

const OPSGENIE_ALERT = { message: 'a test of Tocsin', alias: 'try', entity: 'my-service', priority: 'P3' };

function onCallAddresses(url: string, key: string): string {
  return ['alertmanager', 'grafana', 'grafana_alerting', 'formatted_webhook']
    .map((type) => `${url}/${type}/${key}/`)
    .join('\n');
}

const FORMATTED = { alert_uid: 'try', title: 'a test of Tocsin', state: 'alerting', service: 'my-service' };

const CLOUD_EVENT = {
  specversion: '1.0',
  id: '1',
  source: '/my-service',
  type: 'test.failed',
  service: 'my-service',
  data: { summary: 'a test of Tocsin' },
};

const GENERIC_EVENT = { service: 'my-service', summary: 'a test of Tocsin', severity: 'warning' };

/** @param key null: the body has it */
function curl(url: string, key: string | null, type: string, body: object): string {
  const authorization = key === null ? '' : ` \\\n  -H "Authorization: Bearer ${key}"`;
  return `curl -X POST ${url}${authorization} \\\n  -H "Content-Type: ${type}" \\\n  -d '${JSON.stringify(body)}'`;
}
