import { curl } from '../curl.ts';
import type { IncomingFormat } from '../format.ts';

export const PAGERDUTY_EVENTS = {
  words: 'PagerDuty Events API (in)',
  setUp: ({ url, key }) => [
    { title: 'Any sender of PagerDuty’s Events API v2', text: `URL          ${url}\nrouting key  ${key}` },
    { title: 'Try it', text: curl(url, null, 'application/json', pagerDutyEvent(key)) },
  ],
} satisfies IncomingFormat;

function pagerDutyEvent(key: string): object {
  const payload = { summary: 'a test of Tocsin', source: 'my-service', severity: 'warning' };
  return { routing_key: key, event_action: 'trigger', payload };
}
