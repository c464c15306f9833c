import type { IncomingFormat } from '../format.ts';

export const ALERTMANAGER = {
  words: 'Prometheus Alertmanager',
  setUp: ({ url, key }) => [
    { title: 'Alertmanager: YAML', text: alertmanagerYaml(url, key) },
    { title: 'Prometheus, if it does not use Alertmanager yet: YAML', text: PROMETHEUS_YAML },
  ],
} satisfies IncomingFormat;

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
