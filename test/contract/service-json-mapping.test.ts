import { expect, it } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { INGEST_LIMITS } from '../../src/service/ingest/limits.ts';
import { MAX_MAPPED_EVENTS } from '../../src/service/ingest/mapping/mapping.ts';
import { signIn, type Visitor } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const SENT = {
  monitor: { name: 'Checkout', url: 'https://shop.example/checkout' },
  heartbeat: { status: 0, msg: 'timeout of 48 s' },
  password: 'hunter2',
};

const MAPPING = {
  title: 'body.monitor.name + ": " + body.heartbeat.msg',
  service: 'body.monitor.name.lowerAscii()',
  severity: '"critical"',
  key: 'body.monitor.name',
  state: 'body.heartbeat.status == 1 ? "ok" : "down"',
  link: 'body.monitor.url',
};

/** An integration of any JSON, without a mapping unless one is given. */
async function create(tocsin: TestService, mapping?: object) {
  const config = mapping === undefined ? {} : { mapping };
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'json', name: 'mine', config } });
  const { id, ingest_key: key = '' } = Integration.parse(await created.json());
  return { id, key, page: `/settings/integrations/${id}` };
}

function send(tocsin: TestService, key: string, body: unknown): Promise<Response> {
  return tocsin.call('POST', '/json', { key, body });
}

async function signals(tocsin: TestService): Promise<SignalList['signals']> {
  return SignalList.parse(await (await tocsin.call('GET', '/signals?type=metric')).json()).signals;
}

async function post(visitor: Visitor, path: string, form: Readonly<Record<string, string>>) {
  const response = await visitor.visit(path, { form });
  return { status: response.status, text: await response.text() };
}

it('reads any JSON by the mapping of its integration, until the state is ok', async () => {
  await using tocsin = await startTestService();
  const { key } = await create(tocsin, MAPPING);

  const statuses = [(await send(tocsin, key, SENT)).status, (await send(tocsin, key, [SENT])).status];
  const [firing] = await signals(tocsin);
  await send(tocsin, key, { ...SENT, heartbeat: { status: 1, msg: '200 - OK' } });

  expect(statuses).toEqual([200, 200]);
  expect(firing).toMatchObject({
    service: 'checkout',
    severity: 'critical',
    summary: 'Checkout: timeout of 48 s',
    occurrences: 2,
    ended_at: null,
    source: { format: 'json', service_by: 'the sender' },
  });
  expect(await signals(tocsin)).toMatchObject([{ id: firing?.id, ended_at: expect.any(String) }]);
});

it('refuses an integration with a mapping that no event could be read by', async () => {
  await using tocsin = await startTestService();
  const config = { mapping: { title: 'body.title', key: 'body.host +' } };

  const refused = await tocsin.call('POST', '/integrations', { body: { type: 'json', name: 'mine', config } });

  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({
    errors: [{ pointer: '/config/mapping/key', detail: expect.stringMatching(/^Unexpected/) }],
  });
});

it('goes from what was refused to a mapping that works on it, with a preview', async () => {
  await using tocsin = await startTestService();
  const { key, page } = await create(tocsin);
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  const refused = await send(tocsin, key, SENT);
  const shown = await (await admin.visit(page)).text();
  const preview = await post(admin, `${page}/mapping/preview`, MAPPING);
  const wrong = await post(admin, `${page}/mapping`, { ...MAPPING, title: 'body.nothing' });
  const invalid = await post(admin, `${page}/mapping`, { ...MAPPING, title: 'body.monitor +' });
  const still = await send(tocsin, key, SENT);
  const saved = await post(admin, `${page}/mapping`, MAPPING);
  const received = await send(tocsin, key, SENT);

  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('has no mapping yet') });
  expect(shown).toContain('timeout of 48 s');
  expect(shown).not.toContain('hunter2');
  expect(preview.text).toContain('Checkout: timeout of 48 s');
  expect(wrong).toMatchObject({ status: 422, text: expect.stringContaining('finds no title') });
  expect(invalid).toMatchObject({ status: 422, text: expect.stringContaining('title: ') });
  expect(still.status).toBe(422);
  expect(saved.status).toBe(303);
  expect(received.status).toBe(200);
  expect(await (await admin.visit(page)).text()).toContain('>body.monitor.name</textarea>');
});

it('suggests a mapping for what was refused, which works as it is', async () => {
  await using tocsin = await startTestService();
  const { key, page } = await create(tocsin);
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const body = { incident: { incident_id: '17', policy_name: 'Errors', resource_display_name: 'shop', state: 'open' } };
  await send(tocsin, key, body);

  const shown = await (await admin.visit(page)).text();
  const suggested = [...shown.matchAll(/ name="(\w+)"[^>]*>(body[^<]+)</g)].map(([, name = '', text = '']) => [
    name,
    text,
  ]);
  const saved = await post(admin, `${page}/mapping`, Object.fromEntries(suggested));
  await send(tocsin, key, body);

  expect(shown).toContain('check them, then save');
  expect(Object.fromEntries(suggested)).toEqual({
    title: 'body.incident.policy_name',
    service: 'body.incident.resource_display_name',
    key: 'body.incident.incident_id',
    state: 'body.incident.state',
  });
  expect(saved.status).toBe(303);
  expect(await (await admin.visit(page)).text()).not.toContain('check them, then save');
  expect(await signals(tocsin)).toMatchObject([{ service: 'shop', summary: 'Errors' }]);
});

it('lets only admins change a mapping', async () => {
  await using tocsin = await startTestService();
  const { page } = await create(tocsin);
  const viewer = await signIn(tocsin, tocsin.readOnlyKey);

  expect((await post(viewer, `${page}/mapping`, MAPPING)).status).toBe(403);
});

it.each([
  ['an event without what the title reads', { monitor: {} }, /finds no title/],
  ['too many events', Array(MAX_MAPPED_EVENTS + 1).fill(SENT), /at most 100 events/],
])('refuses %s with a sentence', async (_, body, sentence) => {
  await using tocsin = await startTestService();
  const { key } = await create(tocsin, MAPPING);

  const response = await send(tocsin, key, body);

  expect(response.status).toBe(422);
  expect(Object(await response.json()).detail).toMatch(sentence);
});

it('accepts the limits, and refuses a byte more', async () => {
  await using tocsin = await startTestService();
  const { key } = await create(tocsin, MAPPING);
  const text = JSON.stringify(SENT);

  const statuses = [
    (await send(tocsin, key, Array(MAX_MAPPED_EVENTS).fill(SENT))).status,
    (await send(tocsin, key, text.padEnd(INGEST_LIMITS.mappedBytes))).status,
    (await send(tocsin, key, text.padEnd(INGEST_LIMITS.mappedBytes + 1))).status,
  ];

  expect(statuses).toEqual([200, 200, 413]);
});

it('refuses a mapping that takes too long, asks to send later while it is paused, and serves the others', async () => {
  await using tocsin = await startTestService();
  const hostile = await create(tocsin, { title: 'body.s.matches("^(a+)+$") ? "x" : "y"' });
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  const response = await send(tocsin, hostile.key, { s: `${'a'.repeat(40)}!` });
  const paused = await send(tocsin, hostile.key, { s: 'sent while it is paused' });
  const health = await tocsin.call('GET', '/integrations');
  const page = await (await admin.visit(hostile.page)).text();

  expect([response.status, paused.status, health.status]).toEqual([422, 503, 200]);
  expect(Object(await response.json()).detail).toContain('make its expressions simpler');
  expect(await paused.json()).toMatchObject({ code: 'mapping-paused' });
  expect(Number(paused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(page).toContain('sent while it is paused');
  expect(page).toContain('mapping-paused: the mapping takes longer');
});

it('takes events that a client received for an integration as if the integration had sent them, once for each key', async () => {
  await using tocsin = await startTestService();
  const { id, key } = await create(tocsin, MAPPING);
  const handOver = (events: unknown, once: string) =>
    tocsin.call('POST', `/integrations/${id}/events`, { body: { events }, headers: { 'idempotency-key': once } });

  await handOver([SENT], 'a');
  const again = await handOver([SENT], 'a');
  const refused = await handOver([{ odd: true }], 'b');
  const over = { ...SENT, heartbeat: { status: 1, msg: '200 - OK' } };
  await send(tocsin, key, over);
  const late = await handOver([{ ...over, monitor: { ...SENT.monitor, name: 'Search' } }], 'c');

  expect([again.status, again.headers.get('idempotent-replayed'), refused.status]).toEqual([200, 'true', 422]);
  expect(await signals(tocsin)).toMatchObject([{ occurrences: 1, ended_at: expect.any(String) }]);
  expect(await late.json()).toEqual({ warnings: [expect.stringContaining('ended nothing')] });
  const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());
  expect(integrations).toMatchObject([
    { id, state: 'used', last_unkept: expect.stringContaining('ended nothing'), last_used_at: expect.any(String) },
  ]);
  const page = await (await signIn(tocsin, tocsin.readWriteKey)).visit(`/settings/integrations/${id}`);
  expect(await page.text()).toContain('timeout of 48 s');
});

it('takes no events for an integration without a mapping, for an unknown one, and by a key that only reads', async () => {
  await using tocsin = await startTestService();
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'generic', name: 'other' } });
  const { id } = Integration.parse(await created.json());
  const statusOf = async (which: string, options: object = {}) =>
    (await tocsin.call('POST', `/integrations/${which}/events`, { body: { events: [SENT] }, ...options })).status;

  expect(await statusOf(id)).toBe(422);
  expect(await statusOf('int_01h45ytscbebyvny4gc8cr8ma2')).toBe(404);
  expect(await statusOf(id, { key: tocsin.readOnlyKey })).toBe(403);
  expect(await statusOf(id, { body: { events: Array(101).fill(SENT) } })).toBe(422);
});

it.each([
  ['a form', 'application/x-www-form-urlencoded', 'host=web-1&state=down&text=100+%25+%22full%22&tag=a&tag=b'],
  [
    'JSON that curl calls a form',
    'application/x-www-form-urlencoded',
    '{"host":"web-1","state":"down","text":"100 % \\"full\\""}',
  ],
  ['JSON by an older name', 'text/json', '{"host":"web-1","state":"down","text":"100 % \\"full\\""}'],
  ['JSON that is called text', 'text/plain', '{"host":"web-1","state":"down","text":"100 % \\"full\\""}'],
])('reads %s', async (_name, type, body) => {
  await using tocsin = await startTestService();
  const { key } = await create(tocsin, { title: 'body.text', service: 'body.host', state: 'body.state' });

  const response = await tocsin.call('POST', '/json', { key, body, headers: { 'content-type': type } });

  expect(response.status).toBe(200);
  expect(await signals(tocsin)).toMatchObject([{ service: 'web-1', summary: '100 % "full"', ended_at: null }]);
});

it('keeps no placeholders that nobody filled', async () => {
  await using tocsin = await startTestService();
  const { key } = await create(tocsin, { title: 'body.text' });

  await send(tocsin, key, { text: 'full', host: 'web-1', user: '$USER', team: '{{ team }}' });

  const [signal] = await signals(tocsin);
  expect(signal?.attributes).toEqual({ text: 'full', host: 'web-1' });
});
