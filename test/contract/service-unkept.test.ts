import { afterAll, beforeAll, expect, it } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { signIn } from '../support/dashboard.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

/** What is accepted but not kept is told in the answer, at the integration and in the metrics. */
let tocsin: TestService;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
  tocsin = cleanup.use(await startTestService());
});
afterAll(() => cleanup.disposeAsync());

async function create(type: string) {
  const response = await tocsin.call('POST', '/integrations', { body: { type } });
  const { id, ingest_key: key = '' } = Integration.parse(await response.json());
  return { id, key };
}

async function find(id: string): Promise<Integration> {
  const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());
  return Integration.parse(integrations.find((each) => each.id === id));
}

function spans(...list: readonly object[]) {
  const attributes = [{ key: 'service.name', value: { stringValue: 'cart' } }];
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: list }] }] };
}

const NANOS = String(BigInt(Date.now()) * 1_000_000n);
const GOOD = { traceId: 'a1'.repeat(16), spanId: 'b1'.repeat(8), startTimeUnixNano: NANOS, endTimeUnixNano: NANOS };

it('tells at the integration what telemetry was not kept, with an example', async () => {
  const { id, key } = await create('otlp');
  const bad = { ...GOOD, traceId: 'x1', attributes: [{ key: 'password', value: { stringValue: 'hunter2' } }] };

  const response = await tocsin.call('POST', '/traces', { key, body: spans(GOOD, bad) });

  expect(response.status).toBe(200);
  const reason = '1 of the traces without usable trace and span ids or times';
  expect(await find(id)).toMatchObject({ state: 'used', last_unkept: reason, last_unkept_at: expect.any(String) });
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const page = await (await admin.visit(`/settings/integrations/${id}`)).text();
  expect(page).toContain('Accepted, but not kept');
  expect(page).toContain('&quot;traceId&quot;:&quot;x1&quot;');
  expect(page).not.toContain('hunter2');
  expect(await tocsin.registry.metrics()).toContain('tocsin_ingest_unkept_total{reason="unusable"} 1');
});

it('refuses telemetry of which nothing can be used', async () => {
  const { key } = await create('otlp');

  const response = await tocsin.call('POST', '/traces', { key, body: spans({ ...GOOD, traceId: '' }) });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    message: expect.stringContaining('without usable trace and span ids'),
  });
});

it('tells that telemetry is older than what is correlated', async () => {
  const { id, key } = await create('otlp');
  const old = String(BigInt(Date.now() - 3_600_000) * 1_000_000n);

  await tocsin.call('POST', '/traces', { key, body: spans({ ...GOOD, startTimeUnixNano: old, endTimeUnixNano: old }) });

  await expect.poll(async () => (await find(id)).last_unkept).toContain('are older than 15 minutes');
});

it('answers that an event of severity info opens no incident', async () => {
  const { id, key } = await create('generic');

  const response = await tocsin.call('POST', '/generic', {
    key,
    body: { service: 'shop', summary: 'the shop was restarted', severity: 'info' },
  });

  expect(await response.json()).toEqual({
    warnings: ['1 of severity info: kept as signals, but info opens no incident'],
  });
  expect((await find(id)).last_unkept).toBeNull();
});

const MORNING = new Date(Date.now() - 60_000).toISOString();
const event = (status: string, alertname: string) => ({
  version: '4',
  alerts: [{ status, labels: { alertname, service: 'shop' }, startsAt: MORNING, endsAt: MORNING }],
});

it('answers that an end ends nothing, but not that one came twice', async () => {
  const { id, key } = await create('alertmanager');
  const send = async (status: string, name: string) =>
    (await tocsin.call('POST', '/alertmanager', { key, body: event(status, name) })).json();

  const unknown = await send('resolved', 'NeverSeen');
  await send('firing', 'Seen');
  const first = await send('resolved', 'Seen');
  const again = await send('resolved', 'Seen');

  expect(unknown).toEqual({ warnings: [expect.stringContaining('1 ended nothing')] });
  expect([first, again]).toEqual([{}, {}]);
  expect((await find(id)).last_unkept).toContain('1 ended nothing');
});

it.each([
  ['GET', '/v2/alerts/7/recipients', 404],
  ['PUT', '/v2/alerts', 405],
  ['GET', '/v2/enqueue', 405],
  ['GET', '/v2/enqueue/more', 404],
  ['GET', '/integrations/v1/unknown/more/and/more', 404],
  ['GET', '/v1/prometheus/api/v2/alerts/groups', 404],
  ['POST', '/v1/prometheus/api/v1/query', 404],
  ['GET', '/api/v2/alerts/groups', 404],
])('answers %s %s with %i, whatever the key', async (method, path, status) => {
  const send = (authorization: string) =>
    tocsin.service.fetch(new Request(`${PUBLIC_URL}${path}`, { method, headers: { authorization } }));

  const answers = await Promise.all([send(''), send('GenieKey some-key')]);

  expect(answers.map((each) => each.status)).toEqual([status, status]);
});
