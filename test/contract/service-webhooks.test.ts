import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { expect, it, vi } from 'vitest';
import { IncidentEvent } from '../../src/contract/events.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';
import {
  addWebhook,
  answer,
  LIFE,
  passTime,
  readWebhook,
  rest,
  startWebhookReceiver,
  takeLogged,
  typeOf,
} from '../support/webhook-receiver.ts';

const DAY_MS = 86_400_000;

/** The receivers of these tests are on loopback. */
const webhooks = { allowPrivateAddresses: true };

async function openIncident(tocsin: TestService, service = 'payments'): Promise<string> {
  await tocsin.failIn([service]);
  return (await tocsin.openIncident()).id;
}

async function acknowledge(tocsin: TestService, id: string): Promise<void> {
  const response = await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });
  expect(response.status).toBe(200);
}

async function resolve(tocsin: TestService, id: string): Promise<void> {
  const response = await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'rolled back' } });
  expect(response.status).toBe(200);
}

/** Waits until the oldest delivery has failed so often. */
async function waitForFailures(tocsin: TestService, id: string, attempts: number): Promise<void> {
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting[0]?.attempts === attempts, {
    timeout: HANG_MS,
  });
  await rest(tocsin, id);
}

it('sends the same events as the stream, signed by Standard Webhooks', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id, secret } = await addWebhook(tocsin, { url: receiver.url, events: 'all' });

  const incident = await openIncident(tocsin);
  const [opened] = await receiver.take(1);
  const payload = new Webhook(secret).verify(opened?.body ?? '', opened?.headers ?? {});
  await acknowledge(tocsin, incident);
  await resolve(tocsin, incident);
  const all = await receiver.take(3);

  const data = all.map(({ body }) => IncidentEvent.parse(JSON.parse(body).data));
  expect(all.map(typeOf)).toEqual(LIFE);
  expect(data.map((event) => event.type)).toEqual(LIFE);
  expect(data.map((event) => event.incident.id)).toEqual([incident, incident, incident]);
  expect(data.map((event) => event.id)).toEqual(all.map(({ headers }) => headers['webhook-id']));
  expect(payload).toEqual({ type: LIFE[0], timestamp: data[0]?.occurred_at, data: data[0] });
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting.length === 0, { timeout: HANG_MS });
  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: null, lastUsedAt: expect.any(Date) });
});

it('sends only subscribed types, and no events from before the webhook was created', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  await resolve(tocsin, await openIncident(tocsin, 'payments'));
  const incident = await openIncident(tocsin, 'search');
  tocsin.advance(1);
  await addWebhook(tocsin, { url: receiver.url, events: ['incident.closed'] });

  await acknowledge(tocsin, incident);
  await resolve(tocsin, incident);
  const [closed] = await receiver.take(1);

  expect(JSON.parse(closed?.body ?? '').data).toMatchObject({ type: 'incident.closed', incident: { id: incident } });
});

it("retries with the same id and a new signature, and keeps the order of an incident's events", async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver(answer(500));
  const { id, secret } = await addWebhook(tocsin, { url: receiver.url });
  const incident = await openIncident(tocsin);
  await acknowledge(tocsin, incident);
  await waitForFailures(tocsin, id, 1);
  const failing = await readWebhook(tocsin, id);

  receiver.respond = answer(200);
  await passTime(tocsin, 600_000);
  const [first, second, third] = await receiver.take(3);

  expect(failing).toMatchObject({ lastError: 'answered 500', lastUsedAt: null });
  expect([first, second, third].map((webhook) => webhook && typeOf(webhook))).toEqual([LIFE[0], LIFE[0], LIFE[1]]);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  const sentAt = new Date(Number(second?.headers['webhook-timestamp']) * 1_000);
  expect(sentAt.getTime()).toBeGreaterThan(Date.now() + 500_000);
  expect(second?.headers['webhook-signature']).toBe(
    new Webhook(secret).sign(second?.headers['webhook-id'] ?? '', sentAt, second?.body ?? ''),
  );
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting.length === 0, { timeout: HANG_MS });
  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: null, lastUsedAt: expect.any(Date) });
});

it('lets a later event overtake one that failed for twenty minutes', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response, webhook) =>
    answer(typeOf(webhook) === 'incident.opened' ? 400 : 204)(response, webhook),
  );
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const incident = await openIncident(tocsin);
  await acknowledge(tocsin, incident);

  for (let attempts = 1; attempts < 8; attempts += 1) {
    await waitForFailures(tocsin, id, attempts);
    await passTime(tocsin, 1_800_000);
  }
  await receiver.take(9);

  expect(receiver.received.map(typeOf)).toEqual([...Array(8).fill('incident.opened'), 'incident.acknowledged']);
});

it('serves other receivers while one is down or hangs', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using hanging = await startWebhookReceiver(() => undefined);
  await using receiver = await startWebhookReceiver();
  await addWebhook(tocsin, { url: hanging.url });
  const { id: down } = await addWebhook(tocsin, { url: 'http://127.0.0.1:1/' });
  await addWebhook(tocsin, { url: receiver.url });

  const incident = await openIncident(tocsin);
  await hanging.take(1);
  await acknowledge(tocsin, incident);
  await resolve(tocsin, incident);

  expect((await receiver.take(3)).map(typeOf)).toEqual(LIFE);
  expect(hanging.received).toHaveLength(1);
  expect((await readWebhook(tocsin, down)).lastError).toBe('refused the connection');
});

it('respects Retry-After', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using busy = await startWebhookReceiver(answer(429, { 'retry-after': '3600' }));
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: busy.url });
  await addWebhook(tocsin, { url: receiver.url });
  await openIncident(tocsin, 'payments');
  await waitForFailures(tocsin, id, 1);

  busy.respond = answer(200);
  await passTime(tocsin, 3_500_000);
  await tocsin.failIn(['search']); // another incident, which is not held back
  tocsin.advance(SETTLE_MS);
  await receiver.take(2);
  const early = busy.received.length;
  await passTime(tocsin, 200_000);
  await busy.take(3);

  expect(early).toBe(1);
  expect(await readWebhook(tocsin, id)).toMatchObject({ disabledAt: null });
});

it('disables a webhook whose receiver answers 410, and drops its deliveries', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver(answer(500));
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const incident = await openIncident(tocsin);
  await acknowledge(tocsin, incident);
  await waitForFailures(tocsin, id, 1);

  receiver.respond = answer(410);
  await passTime(tocsin, 600_000);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).disabledAt !== null, { timeout: HANG_MS });
  await using other = await startWebhookReceiver();
  await addWebhook(tocsin, { url: other.url });
  tocsin.advance(1);
  await resolve(tocsin, incident);
  await other.take(1);

  expect(await readWebhook(tocsin, id)).toMatchObject({
    lastError: 'answered 410: the receiver wants no more',
    waiting: [],
  });
  expect(receiver.received).toHaveLength(2);
});

it('gives up a delivery after 24 hours if the receiver accepts others, and stays failing', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response, webhook) =>
    answer(typeOf(webhook) === 'incident.opened' ? 503 : 204)(response, webhook),
  );
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const incident = await openIncident(tocsin);
  for (let attempts = 1; attempts < 8; attempts += 1) {
    await waitForFailures(tocsin, id, attempts);
    await passTime(tocsin, 1_800_000);
  }
  await waitForFailures(tocsin, id, 8);
  await acknowledge(tocsin, incident);
  await passTime(tocsin, 120_000);
  await takeLogged(tocsin, id, 9);

  await passTime(tocsin, DAY_MS);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting.length === 0, { timeout: HANG_MS });

  expect(receiver.received.map(typeOf)).toEqual([
    ...Array(8).fill('incident.opened'),
    'incident.acknowledged',
    'incident.opened',
  ]);
  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: 'answered 503', disabledAt: null });
});

it('continues after a restart', async () => {
  await using first = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver(answer(500));
  const { id } = await addWebhook(first, { url: receiver.url });
  const incident = await openIncident(first);
  await acknowledge(first, incident);
  await waitForFailures(first, id, 1);
  await first.service[Symbol.asyncDispose]();
  receiver.respond = answer(200);

  await using second = await startTestService({ webhooks, database: first.database });
  await passTime(second, 600_000);
  await receiver.take(3);

  expect(receiver.received.map(typeOf)).toEqual([LIFE[0], LIFE[0], LIFE[1]]);
});

it('takes over from a process that died while sending', async () => {
  await using first = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver(() => undefined);
  await addWebhook(first, { url: receiver.url });
  await openIncident(first);
  await receiver.take(1);
  receiver.respond = answer(200);

  await using second = await startTestService({ webhooks, database: first.database });
  await passTime(second, 120_000);
  const [lost, repeated] = await receiver.take(2);

  expect(repeated?.headers['webhook-id']).toBe(lost?.headers['webhook-id']);
});

it('respects the lease of another process, however far apart their clocks are', async () => {
  await using first = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver(() => undefined);
  await addWebhook(first, { url: receiver.url });
  await openIncident(first);
  await receiver.take(1);

  const ahead = await startTestService({ webhooks, database: first.database, aheadMs: DAY_MS });
  await ahead[Symbol.asyncDispose](); // waits until it has looked for due deliveries
  const behind = await startTestService({ webhooks, database: first.database, aheadMs: -DAY_MS });
  await behind[Symbol.asyncDispose]();

  expect(receiver.received).toHaveLength(1);
});

it('shares the work between two processes and sends each event once', async () => {
  await using one = await startTestService({ webhooks });
  await using other = await startTestService({ webhooks, database: one.database });
  await using left = await startWebhookReceiver();
  await using right = await startWebhookReceiver();
  await Promise.all([left, right].map(({ url }) => addWebhook(one, { url })));
  const services = Array.from({ length: 6 }, (_, index) => `service-${index}`);
  await Promise.all(services.map((service) => one.failIn([service])));
  one.advance(SETTLE_MS);
  other.advance(SETTLE_MS);
  await Promise.all([left.take(6), right.take(6)]);
  const ids = [...new Set(left.received.map(({ body }) => JSON.parse(body).data.incident.id))];

  await Promise.all(ids.map((id, index) => acknowledge(index % 2 === 0 ? one : other, id)));
  await Promise.all(ids.map((id, index) => resolve(index % 2 === 0 ? other : one, id)));
  await Promise.all([left.take(18), right.take(18)]);
  await one.service[Symbol.asyncDispose]();
  await other.service[Symbol.asyncDispose]();

  for (const { received } of [left, right]) {
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(18);
    expect(received).toHaveLength(18);
    for (const id of ids) {
      const ofOne = received.filter(({ body }) => JSON.parse(body).data.incident.id === id);
      expect(ofOne.map(typeOf)).toEqual(LIFE);
    }
  }
});

it('refuses a webhook with a private address, and sends nothing to a name that resolves to one', async () => {
  await using tocsin = await startTestService();
  await using receiver = await startWebhookReceiver();
  const body = { type: 'webhook', config: { url: receiver.url } };

  const refusal = await tocsin.call('POST', '/integrations', { body });
  const { id } = await addWebhook(tocsin, { url: receiver.url.replace('127.0.0.1', 'localhost') });
  await openIncident(tocsin);
  await waitForFailures(tocsin, id, 1);

  const reason = expect.stringContaining('leads to an address that is not public');
  expect(refusal.status).toBe(422);
  expect(await refusal.json()).toMatchObject({
    code: 'invalid-body',
    errors: [{ pointer: '/config/url', detail: reason }],
  });
  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: reason });
  expect(receiver.received).toEqual([]);
});

it('writes no secret to the log or to the visible error', async () => {
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  await using tocsin = await startTestService({ webhooks, logger });
  await using receiver = await startWebhookReceiver((response) => response.writeHead(500).end('answer-5ecret'));
  const { id, secret } = await addWebhook(tocsin, { url: `${receiver.url}?token=query-5ecret` });
  const { id: down } = await addWebhook(tocsin, { url: 'http://127.0.0.1:1/path-5ecret' });

  await openIncident(tocsin);
  await waitForFailures(tocsin, id, 1);
  await waitForFailures(tocsin, down, 1);
  const told = JSON.stringify([lines, await readWebhook(tocsin, id), await readWebhook(tocsin, down)]);

  expect(lines.filter((line) => line.includes('a webhook delivery failed'))).toHaveLength(2);
  expect(told).not.toContain('5ecret');
  expect(told).not.toContain(secret.replace('whsec_', ''));
});
