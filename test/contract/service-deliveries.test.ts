import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { expect, it, vi } from 'vitest';
import { type Delivery, DeliveryList, Integration } from '../../src/contract/resources.ts';
import { createRealClock } from '../../src/runtime/clock.ts';
import { createId } from '../../src/service/core/ids.ts';
import { createDeliveryLog, LOG_LIMITS } from '../../src/service/store/delivery-log.ts';
import { createWebhookControl } from '../../src/service/store/webhook-control.ts';
import { createWebhookSender } from '../../src/service/webhooks/webhook-sender.ts';
import { createWebhookTest } from '../../src/service/webhooks/webhook-test.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import {
  addWebhook,
  answer,
  openTables,
  passTime,
  readWebhook,
  startWebhookReceiver,
  typeOf,
} from '../support/webhook-receiver.ts';

const DAY_MS = 86_400_000;
const webhooks = { allowPrivateAddresses: true };

async function openIncident(tocsin: TestService, service = 'payments'): Promise<string> {
  await tocsin.failIn([service]);
  return (await tocsin.openIncident()).id;
}

async function list(tocsin: TestService, id: string, query = ''): Promise<DeliveryList> {
  const response = await tocsin.call('GET', `/integrations/${id}/deliveries${query}`, { key: tocsin.readOnlyKey });
  expect(response.status).toBe(200);
  return DeliveryList.parse(await response.json());
}

/** Waits until so many deliveries are logged, newest first. */
async function takeLogged(tocsin: TestService, id: string, count: number): Promise<readonly Delivery[]> {
  return vi.waitUntil(
    async () => {
      const { deliveries } = await list(tocsin, id);
      return deliveries.length >= count ? deliveries : null;
    },
    { timeout: 10_000 },
  );
}

const post = (tocsin: TestService, path: string, body?: object) =>
  tocsin.call('POST', `/integrations/${path}`, body === undefined ? {} : { body });

it('logs each attempt with its status, time, duration and the beginning of the response', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response) => response.writeHead(500).end('x'.repeat(2_000)));
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncident(tocsin);
  await takeLogged(tocsin, id, 1);
  receiver.respond = answer(204);
  await passTime(tocsin, 600_000);

  const [second, first] = await takeLogged(tocsin, id, 2);

  expect(first).toMatchObject({
    status: 'failed',
    event_type: 'incident.opened',
    event_id: receiver.received[0]?.headers['webhook-id'],
    attempt: 1,
    http_status: 500,
    error: 'answered 500',
    response: 'x'.repeat(1_024),
    next_attempt_at: expect.any(String),
  });
  expect(second).toMatchObject({
    status: 'delivered',
    event_id: first?.event_id,
    attempt: 2,
    http_status: 204,
    error: null,
    response: '',
    next_attempt_at: null,
  });
  expect(Date.parse(second?.attempted_at ?? '') - Date.parse(first?.attempted_at ?? '')).toBeGreaterThanOrEqual(
    600_000,
  );
});

it('has no deliveries for an integration that is no webhook', async () => {
  await using tocsin = await startTestService();
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'otlp' } });
  const { id } = Integration.parse(await created.json());

  expect(await list(tocsin, id)).toMatchObject({ deliveries: [], total: 0 });
});

it('logs an attempt without a response', async () => {
  await using tocsin = await startTestService({ webhooks });
  const { id } = await addWebhook(tocsin, { url: 'http://127.0.0.1:1/' });
  await openIncident(tocsin);

  const [delivery] = await takeLogged(tocsin, id, 1);

  expect(delivery).toMatchObject({ error: 'refused the connection', http_status: null, response: null });
});

it('masks what is secret in the logged response', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response, { headers }) =>
    response.end(`token t0p-s3cret; ${headers['webhook-signature']}`),
  );
  const { id } = await addWebhook(tocsin, { url: `${receiver.url}?token=t0p-s3cret` });
  await openIncident(tocsin);

  const [delivery] = await takeLogged(tocsin, id, 1);

  expect(delivery?.response).toBe('token ***; v1,***');
});

it('has pages, and keeps a bounded number of deliveries for a bounded time', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const { id: other } = await addWebhook(tocsin, { url: `${receiver.url}/other` });
  const db = await openTables(tocsin);
  const at = new Date(tocsin.now().getTime() - 1_000_000);
  const entry = (integrationId: string, index: number, time: Date) => ({
    id: createId('dlv', time),
    integration_id: integrationId,
    sequence: null,
    event_id: `evt_${index}`,
    event_type: 'integration.test',
    attempt: 1,
    attempted_at: time,
    duration_ms: 1,
    http_status: 204,
    error: null,
    response: '',
    next_attempt_at: null,
  });
  const times = Array.from({ length: LOG_LIMITS.rows }, (_, index) => new Date(at.getTime() + index));
  await db
    .insertInto('webhook_attempts')
    .values([...times.map((time, index) => entry(id, index, time)), entry(other, 0, at)])
    .execute();

  const atLimit = (await list(tocsin, id)).total;
  await post(tocsin, `${id}/test`);
  const first = await list(tocsin, id, '?limit=2');
  const second = await list(tocsin, id, `?limit=2&cursor=${first.next_cursor}`);
  const last = await list(tocsin, id, `?offset=${LOG_LIMITS.rows - 1}`);
  await createDeliveryLog(db).prune(new Date(at.getTime() + LOG_LIMITS.days * DAY_MS + 1));

  expect(atLimit).toBe(LOG_LIMITS.rows);
  expect(first).toMatchObject({ total: LOG_LIMITS.rows, has_more: true });
  expect([...first.deliveries.slice(1), ...second.deliveries].map((each) => each.event_id)).toEqual([
    'evt_999',
    'evt_998',
    'evt_997',
  ]);
  expect(last.deliveries.map((each) => each.event_id)).toEqual(['evt_1']); // the oldest made room
  expect((await list(tocsin, other)).total).toBe(0);
  expect((await list(tocsin, id)).total).toBe(LOG_LIMITS.rows);
});

it('sends the event of a delivery again', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncident(tocsin);
  const [delivery] = await takeLogged(tocsin, id, 1);

  const response = await post(tocsin, `${id}/deliveries/${delivery?.id}/resend`);
  const [first, again] = await receiver.take(2);

  expect(await response.json()).toEqual({ queued: 1 });
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(again?.body).toBe(first?.body);
});

it('sends events that were given up again', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response, webhook) =>
    answer(typeOf(webhook) === 'incident.opened' ? 400 : 204)(response, webhook),
  );
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const incident = await openIncident(tocsin);
  for (let attempts = 1; attempts < 9; attempts += 1) {
    await takeLogged(tocsin, id, attempts);
    await passTime(tocsin, 1_800_000);
  }
  await tocsin.call('POST', `/incidents/${incident}/acknowledge`, { body: { user: 'ana' } });
  await vi.waitUntil(() => receiver.received.map(typeOf).includes('incident.acknowledged'), { timeout: 10_000 });
  await passTime(tocsin, DAY_MS);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting.length === 0, { timeout: 10_000 });
  receiver.respond = answer(204);
  const before = receiver.received.length;

  const since = new Date(tocsin.now().getTime() - 2 * DAY_MS).toISOString();
  const late = await post(tocsin, `${id}/resend`, { since: tocsin.now().toISOString() });
  const response = await post(tocsin, `${id}/resend`, { since });
  const all = await receiver.take(before + 1);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting.length === 0, { timeout: 10_000 });

  expect(await late.json()).toEqual({ queued: 0 });
  expect(await response.json()).toEqual({ queued: 1 });
  expect(all.slice(before).map(typeOf)).toEqual(['incident.opened']);
  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: null });
});

it('sends all events since a time again, in order', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const incident = await openIncident(tocsin);
  await receiver.take(1);
  tocsin.advance(1_000);
  const since = tocsin.now().toISOString();
  await tocsin.call('POST', `/incidents/${incident}/acknowledge`, { body: { user: 'ana' } });
  await tocsin.call('POST', `/incidents/${incident}/resolve`, { body: { resolution_note: 'rolled back' } });
  await receiver.take(3);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting.length === 0, { timeout: 10_000 });

  const response = await post(tocsin, `${id}/resend`, { since, events: 'all' });
  const all = await receiver.take(5);

  expect(await response.json()).toEqual({ queued: 2 });
  expect(all.slice(3).map(({ body }) => body)).toEqual(all.slice(1, 3).map(({ body }) => body));
});

it('sends a test event, also to a disabled webhook, and returns the result', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response) => response.writeHead(418).end('short and stout'));
  const { id, secret } = await addWebhook(tocsin, { url: receiver.url, events: ['incident.closed'] });
  const db = await openTables(tocsin);
  await db.updateTable('integrations').set({ disabled_at: tocsin.now() }).where('id', '=', id).execute();

  const response = await post(tocsin, `${id}/test`);

  const delivery = await response.json();
  const [received] = receiver.received;
  expect(delivery).toMatchObject({
    status: 'failed',
    event_type: 'integration.test',
    http_status: 418,
    error: 'answered 418',
    response: 'short and stout',
    next_attempt_at: null,
  });
  expect(new Webhook(secret).verify(received?.body ?? '', received?.headers ?? {})).toMatchObject({
    type: 'integration.test',
    data: { integration: { id } },
  });
  expect((await list(tocsin, id)).deliveries).toEqual([delivery]);
  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: null, disabledAt: expect.any(Date) });
});

it('runs one test of a webhook at a time', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await using sender = createWebhookSender({ now: tocsin.now, ...webhooks });
  const control = createWebhookControl(await openTables(tocsin));
  const test = createWebhookTest({ control, sender, clock: createRealClock() });

  const [one, other] = await Promise.all([test(id), test(id)]);
  const later = await test(id);

  expect(other).toEqual(one);
  expect(later.id).not.toBe(one.id);
  expect(receiver.received).toHaveLength(2);
});

it('signs with the previous secret too for 24 hours after a rotation', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id, secret: old } = await addWebhook(tocsin, { url: receiver.url });

  const response = await post(tocsin, `${id}/rotate-secret`);
  const { secret = '' } = Integration.parse(await response.json());
  await post(tocsin, `${id}/test`);
  await passTime(tocsin, DAY_MS - 60_000);
  await post(tocsin, `${id}/test`);
  await passTime(tocsin, 120_000);
  await post(tocsin, `${id}/test`);

  const signatures = receiver.received.map(({ headers }) => headers['webhook-signature']?.split(' ').length);
  const [first, , last] = receiver.received;
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(secret).toMatch(/^whsec_/);
  expect(secret).not.toBe(old);
  expect(signatures).toEqual([2, 2, 1]);
  for (const each of [secret, old]) {
    expect(() => new Webhook(each).verify(first?.body ?? '', first?.headers ?? {})).not.toThrow();
  }
  const atLast = new Date(Number(last?.headers['webhook-timestamp']) * 1_000);
  expect(last?.headers['webhook-signature']).toBe(
    new Webhook(secret).sign(last?.headers['webhook-id'] ?? '', atLast, last?.body ?? ''),
  );
});

it('forgets an expired secret, and never shows a secret again', async () => {
  await using tocsin = await startTestService({ webhooks });
  const { id } = await addWebhook(tocsin, { url: 'https://hooks.example/' });
  const db = await openTables(tocsin);
  const repeated = { headers: { 'idempotency-key': 'rotation' } };
  await tocsin.call('POST', `/integrations/${id}/rotate-secret`, repeated);
  const again = await tocsin.call('POST', `/integrations/${id}/rotate-secret`, repeated);

  await createDeliveryLog(db).prune(tocsin.now());
  const [kept] = await db.selectFrom('integrations').select('previous_secret').execute();
  await passTime(tocsin, DAY_MS + 1_000);
  await createDeliveryLog(db).prune(tocsin.now());
  const [forgotten] = await db.selectFrom('integrations').select('previous_secret').execute();

  expect(await again.text()).not.toContain('whsec_');
  expect(kept?.previous_secret).toMatch(/^whsec_/);
  expect(forgotten?.previous_secret).toBeNull();
});

it('lets a read-only key read deliveries, and do nothing else with them', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const ingestKey = await tocsin.service.createKey('sender', 'ingest');
  const paths = ['test', 'resend', 'enable', 'rotate-secret', `deliveries/${createId('dlv', new Date())}/resend`];
  const body = { since: '2026-01-31T08:00:00Z' };

  const refused = await Promise.all(
    paths.map((path) => tocsin.call('POST', `/integrations/${id}/${path}`, { key: tocsin.readOnlyKey, body })),
  );
  const ingest = await tocsin.call('GET', `/integrations/${id}/deliveries`, { key: ingestKey });

  expect(refused.map(({ status }) => status)).toEqual(paths.map(() => 403));
  expect(ingest.status).toBe(403);
  expect((await list(tocsin, id)).deliveries).toEqual([]);
  expect(receiver.received).toEqual([]);
});

it.each(['%00', 'int_1', createId('int', new Date()), createId('sig', new Date())])(
  'answers 404 for the unknown integration %s',
  async (id) => {
    await using tocsin = await startTestService({ webhooks });
    const since = { since: '2026-01-31T08:00:00Z' };

    const responses = await Promise.all([
      tocsin.call('GET', `/integrations/${id}/deliveries`),
      tocsin.call('DELETE', `/integrations/${id}`),
      post(tocsin, `${id}/resend`, since),
      post(tocsin, `${id}/test`),
      post(tocsin, `${id}/enable`),
      post(tocsin, `${id}/rotate-secret`),
      post(tocsin, `${id}/deliveries/${createId('dlv', new Date())}/resend`),
    ]);

    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 404));
  },
);

it('removes deliveries with their event and with their webhook', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncident(tocsin);
  await takeLogged(tocsin, id, 1);
  await post(tocsin, `${id}/test`);
  const db = await openTables(tocsin);

  await sql`delete from events`.execute(db);
  const left = await list(tocsin, id);
  await tocsin.call('DELETE', `/integrations/${id}`);

  expect(left.deliveries.map((each) => each.event_type)).toEqual(['integration.test']);
  expect(await db.selectFrom('webhook_attempts').selectAll().execute()).toEqual([]);
});
