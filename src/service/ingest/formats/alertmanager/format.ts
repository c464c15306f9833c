import { INGEST_LIMITS } from '../../limits.ts';
import { type EntriesFormat, readingList } from '../format.ts';
import { AlertmanagerNotification, readAlerts } from './alertmanager.ts';

export const ALERTMANAGER = {
  words: 'Prometheus Alertmanager',
  setUp: ({ url, key }) => [
    { title: 'Alertmanager: YAML', text: alertmanagerYaml(url, key) },
    { title: 'Prometheus, if it does not use Alertmanager yet: YAML', text: PROMETHEUS_YAML },
  ],
  entries: {
    operationId: 'sendAlerts',
    what: "alerts by Alertmanager's webhook, version 4",
    content: { 'application/json': { schema: { type: 'object' } } },
    maxBytes: INGEST_LIMITS.alertmanagerBytes, // a group of thousands of alerts is one request
    ...readingList(AlertmanagerNotification, 'alerts', readAlerts),
  },
} satisfies EntriesFormat;

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
