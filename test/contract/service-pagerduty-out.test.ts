import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { DeliveryList, IntegrationList } from '../../src/contract/integrations.ts';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { HANG_MS } from '../support/hang.ts';
import { createLogLines } from '../support/log-lines.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { answer, startWebhookReceiver } from '../support/webhook-receiver.ts';

const cleanup = new AsyncDisposableStack();
const { lines, logger } = createLogLines();
let tocsin: TestService;
/** Receives events like PagerDuty does. */
let pager: TestService;
let address: string;
const Created = z.object({ id: z.string(), status: z.string(), config: z.record(z.string(), z.unknown()) });

beforeAll(async () => {
  tocsin = cleanup.use(await startTestService({ logger, webhooks: { allowPrivateAddresses: true } }));
  pager = cleanup.use(await startTestService());
  const door = cleanup.use(await openFrontDoor('127.0.0.1', 0));
  door.handlers.service = pager.service.fetch;
  address = `${door.url}/v2/enqueue`;
});
afterAll(() => cleanup.disposeAsync());

async function add(config: object): Promise<z.infer<typeof Created>> {
  const response = await tocsin.call('POST', '/integrations', { body: { type: 'pagerduty', name: 'on call', config } });
  expect([200, 201]).toContain(response.status);
  return Created.parse(await response.json());
}

async function read<T>(from: TestService, path: string, parse: (value: unknown) => T): Promise<T> {
  return parse(await (await from.call('GET', path)).json());
}

const deliveriesOf = async (id: string) =>
  (await read(tocsin, `/integrations/${id}/deliveries`, (value) => DeliveryList.parse(value))).deliveries;

it('mirrors opening, acknowledging, closing and reopening to a PagerDuty integration', async () => {
  const created = await pager.call('POST', '/integrations', { body: { type: 'pagerduty_events', name: 'tocsin' } });
  const { ingest_key: key } = z.object({ ingest_key: z.string() }).parse(await created.json());
  const { id, config } = await add({ routing_key: key, url: address });
  await tocsin.failIn(['payments']);
  const incident = await tocsin.openIncident();
  const paged = await vi.waitUntil(
    async () => (await read(pager, '/incidents', (value) => IncidentList.parse(value))).incidents[0],
    { timeout: HANG_MS },
  );

  const readSignal = async () =>
    (await read(pager, `/incidents/${paged.id}`, (value) => Incident.parse(value))).signals?.[0];
  expect(config).toMatchObject({ routing_key: '***' });
  expect(paged).toMatchObject({ root_service: 'payments', severity: incident.severity });
  expect(paged.title).toContain(incident.title);
  expect(await readSignal()).toMatchObject({ ended_at: null, attributes: { number: incident.number } });
  await tocsin.call('POST', `/incidents/${incident.id}/acknowledge`, { body: { user: 'ana' } });
  await tocsin.call('POST', `/incidents/${incident.id}/resolve`, { body: { resolution_note: 'restarted' } });
  await vi.waitUntil(async () => (await readSignal())?.ended_at !== null, { timeout: HANG_MS });
  await tocsin.call('POST', `/incidents/${incident.id}/reopen`, { body: { user: 'ana' } });

  await vi.waitUntil(async () => (await deliveriesOf(id)).length >= 4, { timeout: HANG_MS });
  expect((await deliveriesOf(id)).map(({ event_type: type, status }) => [type, status]).toReversed()).toEqual([
    ['incident.opened', 'delivered'],
    ['incident.acknowledged', 'delivered'],
    ['incident.closed', 'delivered'],
    ['incident.reopened', 'delivered'],
  ]);
  await tocsin.call('DELETE', `/integrations/${id}`);
});

it('sends the format of the Events API v2, with one dedup_key per incident', async () => {
  await using receiver = await startWebhookReceiver(answer(202));
  const { id } = await add({ routing_key: 'R0UT1NG', url: receiver.url });
  await tocsin.call('POST', '/generic', {
    body: {
      service: 'db',
      summary: 'disk full',
      severity: 'critical',
      attributes: { runbook_url: 'https://w.example' },
    },
  });
  await receiver.take(1);
  const { incidents } = await read(tocsin, '/incidents?service=db', (value) => IncidentList.parse(value));
  const [incident] = incidents;
  await tocsin.call('POST', `/incidents/${incident?.id}/acknowledge`, { body: { user: 'ana' } });
  const sent = (await receiver.take(2)).map(({ body }) => JSON.parse(body));

  expect(sent[0]).toEqual({
    routing_key: 'R0UT1NG',
    event_action: 'trigger',
    dedup_key: incident?.id,
    payload: {
      summary: 'db: disk full',
      source: 'db',
      component: 'db',
      severity: 'critical',
      timestamp: incident?.opened_at,
      custom_details: { number: incident?.number, services: ['db'], signals: 1 },
    },
    client: 'Tocsin',
    client_url: incident?.url,
    links: [{ href: 'https://w.example/', text: 'runbook' }],
  });
  expect(sent[1]).toEqual({ routing_key: 'R0UT1NG', event_action: 'acknowledge', dedup_key: incident?.id });
  expect(receiver.received.every(({ headers }) => !('webhook-signature' in headers))).toBe(true);
  await tocsin.call('DELETE', `/integrations/${id}`);
});

it('triggers nothing for a muted incident until the mute ends, and then only if nobody has acknowledged it', async () => {
  await using receiver = await startWebhookReceiver(answer(202));
  const { id } = await add({ routing_key: 'R0UT1NG', url: receiver.url });
  const until = new Date(tocsin.now().getTime() + 3_600_000);
  const mute = (value: string) =>
    tocsin.call('POST', '/mutes', { body: { user: 'ana', target: 'service', value, until } });
  const ended = z.object({ id: z.string() }).parse(await (await mute('mail')).json());
  await mute('dns');
  const incidentOf = async (service: string) => {
    await tocsin.call('POST', '/generic', { body: { service, summary: 'down', severity: 'critical' } });
    return vi.waitUntil(
      async () =>
        (await read(tocsin, `/incidents?service=${service}`, (value) => IncidentList.parse(value))).incidents[0],
      { timeout: HANG_MS },
    );
  };
  const [mail, dns] = [await incidentOf('mail'), await incidentOf('dns')];
  await tocsin.call('POST', `/incidents/${dns.id}/acknowledge`, { body: { user: 'ben' } });

  await tocsin.call('DELETE', `/mutes/${ended.id}?user=ana`);
  tocsin.advance(3_600_001);
  await vi.waitUntil(
    async () =>
      (await read(tocsin, `/incidents/${dns.id}`, (value) => Incident.parse(value))).timeline?.at(-1)?.event ===
      'unmuted',
    { timeout: HANG_MS },
  );
  const web = await incidentOf('web');
  await receiver.take(3);

  expect(
    receiver.received.map(({ body }) => JSON.parse(body)).map((sent) => [sent.dedup_key, sent.event_action]),
  ).toEqual([
    [dns.id, 'acknowledge'],
    [mail.id, 'trigger'],
    [web.id, 'trigger'],
  ]);
  await tocsin.call('DELETE', `/integrations/${id}`);
});

it('triggers when what is muted turns out to be something else, told by a person or by another sender', async () => {
  await using receiver = await startWebhookReceiver(answer(202));
  const { id } = await add({ routing_key: 'R0UT1NG', url: receiver.url });
  const Key = z.object({ id: z.string(), ingest_key: z.string() });
  const [one, two] = await Promise.all(
    ['one', 'two'].map(async (name) =>
      Key.parse(await (await tocsin.call('POST', '/integrations', { body: { type: 'generic', name } })).json()),
    ),
  );
  const until = new Date(tocsin.now().getTime() + 3_600_000);
  for (const [target, value] of [
    ['service', 'cache'],
    ['integration', one?.id],
  ]) {
    await tocsin.call('POST', '/mutes', { body: { user: 'ana', target, value, until } });
  }
  const incidentOf = async (service: string, summary: string, key = two?.ingest_key ?? '') => {
    await tocsin.call('POST', '/generic', { body: { service, summary, severity: 'critical' }, key });
    return vi.waitUntil(
      async () =>
        (await read(tocsin, `/incidents?service=${service}`, (value) => IncidentList.parse(value))).incidents[0],
      { timeout: HANG_MS },
    );
  };

  const cache = await incidentOf('cache', 'down');
  await tocsin.call('PATCH', `/incidents/${cache.id}`, { body: { user: 'ana', root_service: 'shop' } });
  const queue = await incidentOf('queue', 'down', one?.ingest_key);
  await receiver.take(1);
  await incidentOf('queue', 'full');
  await receiver.take(2);

  expect(
    receiver.received.map(({ body }) => JSON.parse(body)).map((sent) => [sent.dedup_key, sent.event_action]),
  ).toEqual([
    [cache.id, 'trigger'],
    [queue.id, 'trigger'],
  ]);
  await tocsin.call('DELETE', `/integrations/${id}`);
});

it('never shows the routing key: not in answers, the delivery log or the log', async () => {
  const secret = 'R0UT1NGKEYTHATNOBODYMAYSEE';
  await using receiver = await startWebhookReceiver((response, { body }) => response.writeHead(400).end(body));
  const { id } = await add({ routing_key: secret, url: receiver.url });
  const again = await add({ routing_key: secret, url: receiver.url });

  const test = await tocsin.call('POST', `/integrations/${id}/test`);

  expect(again.id).toBe(id);
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
    routing_key: secret,
    event_action: 'resolve',
    dedup_key: 'tocsin-test',
  });
  const shown = [
    JSON.stringify(again),
    await test.text(),
    JSON.stringify(await read(tocsin, '/integrations', (value) => IntegrationList.parse(value))),
    JSON.stringify(await deliveriesOf(id)),
    lines.join('\n'),
  ];
  expect(shown.filter((text) => text.includes(secret))).toEqual([]);
  expect(shown[1]).toContain('"http_status":400');
  const rotated = await tocsin.call('POST', `/integrations/${id}/rotate-secret`);
  expect([rotated.status, (await rotated.json()) as unknown]).toMatchObject([409, { code: 'not-a-webhook' }]);
  await tocsin.call('DELETE', `/integrations/${id}`);
});

it('sends to PagerDuty unless another address is given, and to no private address unless that is allowed', async () => {
  const created = await add({ routing_key: 'K1' });
  await using guarded = await startTestService();
  const body = { type: 'pagerduty', config: { routing_key: 'K1', url: 'http://127.0.0.1:9/v2/enqueue' } };

  const refused = await guarded.call('POST', '/integrations', { body });

  expect(created.config.url).toBe('https://events.pagerduty.com/v2/enqueue');
  expect(refused.status).toBe(422);
  await tocsin.call('DELETE', `/integrations/${created.id}`);
});

it.each([
  ['no key', {}],
  ['an empty key', { routing_key: '' }],
  ['a long key', { routing_key: 'k'.repeat(256) }],
  ['an address that is none', { routing_key: 'k', url: 'pagerduty' }],
])('refuses %s', async (_name, config) => {
  const body = { type: 'pagerduty', config };

  expect((await tocsin.call('POST', '/integrations', { body })).status).toBe(422);
});
