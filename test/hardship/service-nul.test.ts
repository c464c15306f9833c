import { addHours } from 'date-fns/addHours';
import { expect, it } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { Mute } from '../../src/contract/mute.ts';
import { Incident } from '../../src/contract/resources.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

/** A text with what PostgreSQL cannot store, NUL and half a surrogate pair, and as it is kept. */
const SENT = 'disk \0 is \ud83d full 😀, C:\\u0000 and D:\\ud83d are not';
const KEPT = 'disk \ufffd is \ufffd full 😀, C:\\u0000 and D:\\ud83d are not';

const otlp = (name: string, value: string) => ({ key: name, value: { stringValue: value } });
const logs = (fields: object) => ({
  resourceLogs: [
    {
      resource: { attributes: [otlp('service.name', 'depot'), otlp('host.name', SENT)] },
      scopeLogs: [{ logRecords: [{ severityNumber: 17, timeUnixNano: `${Date.now()}000000`, ...fields }] }],
    },
  ],
});

/** `:key` stands for the key. */
const SENDERS: readonly {
  /** Of an integration; `telemetry` needs none. */
  readonly type: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string;
}[] = [
  { type: 'generic', path: '/v1/generic', body: { service: 'depot', summary: SENT } },
  { type: 'generic', path: '/v1/generic', body: [{ service: 'depot', summary: SENT, attributes: { [SENT]: SENT } }] },
  {
    type: 'alertmanager',
    path: '/v1/alertmanager',
    body: {
      version: '4',
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'Disk', host: SENT },
          annotations: { summary: SENT },
          startsAt: new Date().toISOString(),
          endsAt: '0001-01-01T00:00:00Z',
          fingerprint: '5ef77f1f8a3ecfd1',
        },
      ],
    },
  },
  {
    type: 'pagerduty_events',
    path: '/v2/enqueue',
    body: {
      routing_key: ':key',
      event_action: 'trigger',
      dedup_key: SENT,
      payload: { summary: SENT, source: SENT, severity: 'error', custom_details: { text: SENT } },
    },
  },
  {
    type: 'opsgenie',
    path: '/v2/alerts',
    headers: { authorization: 'GenieKey :key' },
    body: { message: SENT, alias: SENT, details: { text: SENT } },
  },
  {
    type: 'cloudevents',
    path: '/v1/cloudevents',
    headers: {
      'content-type': 'text/plain',
      'ce-specversion': '1.0',
      'ce-id': '1',
      'ce-source': 'depot',
      'ce-type': 'failed',
      'ce-subject': encodeURIComponent(SENT.toWellFormed()),
    },
    body: SENT,
  },
  {
    type: 'telemetry',
    path: '/v1/logs',
    body: logs({ body: { stringValue: SENT }, attributes: [otlp('text', SENT)] }),
  },
];

async function keyOf(tocsin: TestService, type: string): Promise<string> {
  if (type === 'telemetry') {
    return tocsin.readWriteKey;
  }
  const created = await tocsin.call('POST', '/integrations', { body: { type, name: 'mine', config: {} } });
  return Integration.parse(await created.json()).ingest_key ?? '';
}

it.each(SENDERS)('keeps what $path sends, whatever characters it has', async ({ type, path, headers = {}, body }) => {
  await using tocsin = await startTestService();
  const key = await keyOf(tocsin, type);
  const given = { authorization: 'Bearer :key', 'content-type': 'application/json', ...headers };
  const sent = Object.entries(given).map(([name, value]): [string, string] => [name, value.replace(':key', key)]);
  const text = typeof body === 'string' ? body : JSON.stringify(body).replace(':key', key);
  const request = new Request(PUBLIC_URL + path, { method: 'POST', headers: sent, body: text });

  const answer = await tocsin.service.fetch(request);

  expect(await answer.text()).not.toMatch(/refused|rejected|error|invalid/i);
  expect(answer.ok).toBe(true);
  const { signals } = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());
  expect(signals).toHaveLength(1);
  expect(JSON.stringify(signals)).toContain(JSON.stringify(KEPT).slice(1, -1));
  expect(JSON.stringify(signals)).not.toMatch(/[^\\]\\u0000/);
});

it('keeps what people write, whatever characters it has', async () => {
  await using tocsin = await startTestService();
  const declaration = { title: SENT, service: 'depot', user: 'ana' };

  const declared = await tocsin.call('POST', '/incidents', { body: declaration });
  const { id, title } = Incident.parse(await declared.json());
  const noted = await tocsin.call('POST', `/incidents/${id}/notes`, { body: { user: 'ana', text: SENT } });

  const until = addHours(tocsin.now(), 1).toISOString();
  const labels = { target: 'labels', value: 'team:disk\0\ud83d', until, user: 'ana', reason: SENT };
  const muted = Mute.parse(await (await tocsin.call('POST', '/mutes', { body: labels })).json());

  expect([muted.value, muted.reason]).toEqual(['team:disk\ufffd\ufffd', KEPT]);
  expect([title, Incident.parse(await noted.json()).timeline?.at(-1)?.text]).toEqual([KEPT, KEPT]);
});
