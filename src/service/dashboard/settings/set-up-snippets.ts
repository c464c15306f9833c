import { INGEST_PATHS, type IncomingType } from '../../../contract/requests.ts';

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
    case 'pagerduty_events':
      return [
        { title: 'Any sender of PagerDuty’s Events API v2', text: `URL          ${url}\nrouting key  ${key}` },
        { title: 'Try it', text: curl(url, null, 'application/json', pagerDutyEvent(key)) },
      ];
    case 'cloudevents':
      return [{ title: 'Try it', text: curl(url, key, 'application/cloudevents+json', CLOUD_EVENT) }];
    case 'generic':
      return [{ title: 'Try it', text: curl(url, key, 'application/json', GENERIC_EVENT) }];
  }
}

/** Header values are URL-encoded here; older SDKs refuse a plain space. */
function sdkEnvironment(url: string, key: string): string {
  return [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${url}`,
    'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    `OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20${key}"`,
  ].join('\n');
}

function collectorYaml(url: string, key: string): string {
  return `exporters:
  otlphttp/tocsin:
    endpoint: ${url}
    headers:
      authorization: "Bearer ${key}"
service:
  pipelines:
    traces: { exporters: [otlphttp/tocsin] }
    metrics: { exporters: [otlphttp/tocsin] }
    logs: { exporters: [otlphttp/tocsin] }
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

function pagerDutyEvent(key: string): object {
  const payload = { summary: 'a test of Tocsin', source: 'my-service', severity: 'warning' };
  return { routing_key: key, event_action: 'trigger', payload };
}

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
