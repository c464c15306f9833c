import { curl } from '../curl.ts';
import type { IncomingFormat } from '../format.ts';

export const OPSGENIE = {
  words: 'Opsgenie Alert API (in)',
  setUp: ({ publicUrl, url, key }) => [
    { title: 'Alertmanager: YAML', text: opsgenieYaml(publicUrl, key) },
    { title: 'Any sender of Opsgenie’s Alert API: API URL and key', text: `${publicUrl}\n${key}` },
    { title: 'Try it', text: curl(url, key, 'application/json', OPSGENIE_ALERT).replace('Bearer', 'GenieKey') },
  ],
} satisfies IncomingFormat;

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
