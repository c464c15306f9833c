import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { expect, it, vi } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { createRealClock } from '../../src/runtime/clock.ts';
import { appendScheduleEvent } from '../../src/service/store/events/event-store.ts';
import { inOneTransaction } from '../../src/service/store/one-transaction.ts';
import { createDeliveryLog } from '../../src/service/store/webhooks/delivery-log.ts';
import { createWebhookControl } from '../../src/service/store/webhooks/webhook-control.ts';
import { createWebhookStore } from '../../src/service/store/webhooks/webhook-store.ts';
import { createWebhookTest } from '../../src/service/webhooks/send-test-event.ts';
import { createWebhookSender } from '../../src/service/webhooks/webhook-sender.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService } from '../support/test-service.ts';
import {
  addWebhook,
  answer,
  listDeliveries,
  openIncidentOf,
  openTables,
  passTime,
  postToIntegration,
  readWebhook,
  startWebhookReceiver,
  takeLogged,
  typeOf,
} from '../support/webhook-receiver.ts';

const DAY_MS = 86_400_000;
const webhooks = { allowPrivateAddresses: true };

it('sends the event of a delivery again', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncidentOf(tocsin);
  const [delivery] = await takeLogged(tocsin, id, 1);

  const response = await postToIntegration(tocsin, `${id}/deliveries/${delivery?.id}/resend`);
  const [first, again] = await receiver.take(2);

  expect(await response.json()).toEqual({ queued: 1 });
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(again?.body).toBe(first?.body);
});

it('sends the event of a delivery about a schedule again', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url, events: ['schedule.gaps'] });
  const db = await openTables(tocsin);
  const gaps = { id: 'sched_1', name: 'Payments', gaps: [] };
  await db.transaction().execute((tx) => appendScheduleEvent(tx, gaps, tocsin.now()));
  const [delivery] = await takeLogged(tocsin, id, 1);

  const response = await postToIntegration(tocsin, `${id}/deliveries/${delivery?.id}/resend`);
  const [first, again] = await receiver.take(2);

  expect(await response.json()).toEqual({ queued: 1 });
  expect(again?.body).toBe(first?.body);
});

it('sends events that were given up again', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response, webhook) =>
    answer(typeOf(webhook) === 'incident.opened' ? 400 : 204)(response, webhook),
  );
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const incident = await openIncidentOf(tocsin);
  for (let attempts = 1; attempts < 9; attempts += 1) {
    await takeLogged(tocsin, id, attempts);
    await passTime(tocsin, 1_800_000);
  }
  await tocsin.call('POST', `/incidents/${incident}/acknowledge`, { body: { user: 'ana' } });
  await vi.waitUntil(() => receiver.received.map(typeOf).includes('incident.acknowledged'), { timeout: HANG_MS });
  await passTime(tocsin, DAY_MS);
  const isGivenUp = async () => {
    await passTime(tocsin, 1_800_000); // an attempt that was under way when the day passed is followed by one more
    return (await readWebhook(tocsin, id)).waiting.length === 0;
  };
  await vi.waitUntil(isGivenUp, { timeout: HANG_MS, interval: 500 });
  receiver.respond = answer(204);
  const before = receiver.received.length;

  const since = new Date(tocsin.now().getTime() - 4 * DAY_MS).toISOString();
  const late = await postToIntegration(tocsin, `${id}/resend`, { since: tocsin.now().toISOString() });
  const response = await postToIntegration(tocsin, `${id}/resend`, { since });
  const all = await receiver.take(before + 1);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting.length === 0, { timeout: HANG_MS });

  expect(await late.json()).toEqual({ queued: 0 });
  expect(await response.json()).toEqual({ queued: 1 });
  expect(all.slice(before).map(typeOf)).toEqual(['incident.opened']);
  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: null });
});

it('sends an event again whose last attempt fails while that is asked for', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response, webhook) =>
    answer(webhook.body.includes('payments') ? 400 : 204)(response, webhook),
  );
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncidentOf(tocsin);
  await takeLogged(tocsin, id, 1);
  await tocsin.call('POST', '/generic', { body: { service: 'search', summary: 'down', severity: 'critical' } });
  await takeLogged(tocsin, id, 2);
  const held = Promise.withResolvers<ServerResponse>();
  receiver.respond = held.resolve;
  await passTime(tocsin, DAY_MS);
  const last = await held.promise;

  const since = new Date(tocsin.now().getTime() - 2 * DAY_MS).toISOString();
  const response = await postToIntegration(tocsin, `${id}/resend`, { since });
  receiver.respond = answer(204);
  last.writeHead(400).end();
  const [first, , , again] = await receiver.take(4);

  expect(await response.json()).toEqual({ queued: 1 });
  expect(again?.body).toBe(first?.body);
});

it('sends all events since a time again, in order', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver();
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const incident = await openIncidentOf(tocsin);
  await receiver.take(1);
  tocsin.advance(1_000);
  const since = tocsin.now().toISOString();
  await tocsin.call('POST', `/incidents/${incident}/acknowledge`, { body: { user: 'ana' } });
  await tocsin.call('POST', `/incidents/${incident}/resolve`, { body: { resolution_note: 'rolled back' } });
  await receiver.take(3);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).waiting.length === 0, { timeout: HANG_MS });

  const response = await postToIntegration(tocsin, `${id}/resend`, { since, events: 'all' });
  const all = await receiver.take(5);

  expect(await response.json()).toEqual({ queued: 2 });
  expect(all.slice(3).map(({ body }) => body)).toEqual(all.slice(1, 3).map(({ body }) => body));
});

it('sends all events again in order, also those that wait', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response, webhook) =>
    answer(typeOf(webhook) === 'incident.acknowledged' ? 400 : 204)(response, webhook),
  );
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const since = tocsin.now();
  const incident = await openIncidentOf(tocsin);
  await takeLogged(tocsin, id, 1);
  await tocsin.call('POST', `/incidents/${incident}/acknowledge`, { body: { user: 'ana' } });
  await takeLogged(tocsin, id, 2);

  receiver.respond = answer(204);
  const [queued, sentBeforeThem] = await inOneTransaction(await openTables(tocsin), async (db) => [
    await createWebhookControl(db).resendEvents(id, { since, events: 'all' }),
    await createWebhookStore(db).listDue(id, 2),
  ]);
  const all = await receiver.take(4);

  expect([queued, sentBeforeThem]).toEqual([2, []]);
  expect(all.slice(2).map(typeOf)).toEqual(['incident.opened', 'incident.acknowledged']);
});

it('sends a test event, also to a disabled webhook, and returns the result', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver((response) => response.writeHead(418).end('short and stout'));
  const { id, secret } = await addWebhook(tocsin, { url: receiver.url, events: ['incident.closed'] });
  const db = await openTables(tocsin);
  await db.updateTable('integrations').set({ disabled_at: tocsin.now() }).where('id', '=', id).execute();

  const response = await postToIntegration(tocsin, `${id}/test`);

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
  expect((await listDeliveries(tocsin, id)).deliveries).toEqual([delivery]);
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

  const response = await postToIntegration(tocsin, `${id}/rotate-secret`);
  const { secret = '' } = Integration.parse(await response.json());
  await postToIntegration(tocsin, `${id}/test`);
  await passTime(tocsin, DAY_MS - 60_000);
  await postToIntegration(tocsin, `${id}/test`);
  await passTime(tocsin, 120_000);
  await postToIntegration(tocsin, `${id}/test`);

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
