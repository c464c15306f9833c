import { curl } from '../curl.ts';
import type { IncomingFormat } from '../format.ts';

export const ONCALL = {
  words: 'Grafana OnCall (its senders)',
  setUp: ({ url, key }) => [
    { title: 'Addresses, in place of those of OnCall', text: onCallAddresses(url, key) },
    { title: 'Try it', text: curl(`${url}/formatted_webhook/${key}/`, null, 'application/json', FORMATTED) },
  ],
} satisfies IncomingFormat;

function onCallAddresses(url: string, key: string): string {
  return ['alertmanager', 'grafana', 'grafana_alerting', 'formatted_webhook']
    .map((type) => `${url}/${type}/${key}/`)
    .join('\n');
}

const FORMATTED = { alert_uid: 'try', title: 'a test of Tocsin', state: 'alerting', service: 'my-service' };
