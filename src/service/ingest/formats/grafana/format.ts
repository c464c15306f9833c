import type { IncomingFormat } from '../format.ts';

export const GRAFANA = {
  words: 'Grafana Alerting',
  setUp: ({ url, key }) => [
    {
      title: 'Contact point of type webhook: URL, and authorization header (scheme Bearer)',
      text: `${url}\n${key}`,
    },
    { title: 'Provisioning file of Grafana: YAML', text: grafanaYaml(url, key) },
  ],
} satisfies IncomingFormat;

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
