import { INGEST_LIMITS } from '../../limits.ts';
import { AlertmanagerNotification, readAlerts } from '../alertmanager/alertmanager.ts';
import { type EntriesFormat, readingList } from '../format.ts';

export const GRAFANA = {
  words: 'Grafana Alerting',
  setUp: ({ url, key }) => [
    {
      title: 'Contact point of type webhook: URL, and authorization header (scheme Bearer)',
      text: `${url}\n${key}`,
    },
    { title: 'Provisioning file of Grafana: YAML', text: grafanaYaml(url, key) },
  ],
  entries: {
    operationId: 'sendGrafanaAlerts',
    what: 'alerts by a contact point of Grafana of type webhook, version 1',
    content: { 'application/json': { schema: { type: 'object' } } },
    maxBytes: INGEST_LIMITS.alertmanagerBytes,
    ...readingList(AlertmanagerNotification, 'alerts', readAlerts),
  },
} satisfies EntriesFormat;

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
