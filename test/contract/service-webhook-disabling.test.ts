import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import { IntegrationEvent, IntegrationWebhook } from '../../src/contract/events.ts';
import { Integration } from '../../src/contract/integrations.ts';
import { HANG_MS } from '../support/hang.ts';
import { createLogLines } from '../support/log-lines.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import {
  addWebhook,
  answer,
  openIncidentOf,
  openTables,
  passTime,
  readWebhook,
  startWebhookReceiver,
  takeLogged,
  typeOf,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

const DAY_MS = 86_400_000;
const webhooks = { allowPrivateAddresses: true };

/** Adds a webhook whose receiver fails for a day. @returns its id, when it is disabled */
async function failForADay(tocsin: TestService, receiver: WebhookReceiver): Promise<string> {
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncidentOf(tocsin);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).lastError !== null, { timeout: HANG_MS });
  await passTime(tocsin, DAY_MS);
  await waitUntilDisabled(tocsin, id);
  return id;
}

async function waitUntilDisabled(tocsin: TestService, id: string): Promise<void> {
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).disabledAt !== null, { timeout: HANG_MS });
}

async function enable(tocsin: TestService, id: string): Promise<Integration> {
  const response = await tocsin.call('POST', `/integrations/${id}/enable`);
  expect(response.status).toBe(200);
  return Integration.parse(await response.json());
}

it('disables a receiver that has failed for 24 hours, and says so everywhere', async () => {
  const registry = new Registry();
  const { logger, lines } = createLogLines();
  await using tocsin = await startTestService({ webhooks, registry, logger });
  await using watcher = await startWebhookReceiver();
  await addWebhook(tocsin, { url: watcher.url, events: ['integration.disabled'] });
  await using receiver = await startWebhookReceiver(answer(503));
  const id = await failForADay(tocsin, receiver);

  const [notice] = await watcher.take(1);
  const list = await tocsin.call('GET', '/integrations', { key: tocsin.readOnlyKey });

  const reason = 'failed for 24 hours; the last attempt: answered 503';
  expect(await list.json()).toMatchObject({
    integrations: expect.arrayContaining([expect.objectContaining({ id, status: 'disabled', last_error: reason })]),
  });
  const { data } = IntegrationWebhook.parse(JSON.parse(notice?.body ?? ''));
  expect(data).toMatchObject({ type: 'integration.disabled', integration: { id, type: 'webhook', reason } });
  const failingMs = Date.parse(data.occurred_at) - Date.parse(data.integration.failing_since ?? '');
  expect(Math.abs(failingMs - DAY_MS)).toBeLessThan(60_000);
  expect(lines.filter((line) => JSON.parse(line).msg === 'a webhook is disabled')).toHaveLength(1);
  expect(await registry.metrics()).toContain('tocsin_webhooks_disabled_total{because="failing"} 1');
});

it('does not disable a receiver that has accepted anything within 24 hours', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver(answer(503));
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  const incident = await openIncidentOf(tocsin);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).lastError !== null, { timeout: HANG_MS });
  await passTime(tocsin, DAY_MS - 3_600_000);
  await takeLogged(tocsin, id, 2);
  receiver.respond = answer(204);
  await passTime(tocsin, 1_800_000);
  await receiver.take(3);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).lastError === null, { timeout: HANG_MS });

  receiver.respond = answer(503);
  await passTime(tocsin, 3_600_000);
  await tocsin.call('POST', `/incidents/${incident}/acknowledge`, { body: { user: 'ana' } });
  await receiver.take(4);
  await vi.waitUntil(async () => (await readWebhook(tocsin, id)).lastError !== null, { timeout: HANG_MS });

  expect(await readWebhook(tocsin, id)).toMatchObject({ lastError: 'answered 503', disabledAt: null });
});

it('keeps the events of a disabled receiver, and continues where it stopped when it is enabled', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver(answer(503));
  const id = await failForADay(tocsin, receiver);
  const sent = receiver.received.length;
  await openIncidentOf(tocsin, 'search');
  receiver.respond = answer(204);

  const enabled = await enable(tocsin, id);
  const opened = (await receiver.take(sent + 2)).slice(sent);

  expect(enabled).toMatchObject({ id, status: 'active', last_error: null });
  expect(opened.map(typeOf)).toEqual(['incident.opened', 'incident.opened']);
  expect(opened[0]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
});

it('sends events from now on to a receiver that wanted no more and is enabled', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver(answer(410));
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncidentOf(tocsin, 'payments');
  await waitUntilDisabled(tocsin, id);
  const missed = await openIncidentOf(tocsin, 'search');
  receiver.respond = answer(204);

  await enable(tocsin, id);
  await tocsin.call('POST', `/incidents/${missed}/resolve`, { body: { resolution_note: 'rolled back' } });
  const all = await receiver.take(2);

  expect(all.map(typeOf)).toEqual(['incident.opened', 'incident.closed']);
});

it('reports in the event log that a webhook was disabled and enabled, and changes nothing when it is enabled', async () => {
  await using tocsin = await startTestService({ webhooks });
  await using receiver = await startWebhookReceiver(answer(410));
  const { id } = await addWebhook(tocsin, { url: receiver.url });
  await openIncidentOf(tocsin);
  await waitUntilDisabled(tocsin, id);
  await enable(tocsin, id);
  await enable(tocsin, id);

  const stream = await tocsin.call('GET', '/events', { headers: { 'last-event-id': '0' } });
  let text = '';
  for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes('integration.enabled')) {
      break; // closes the stream
    }
  }

  const events = [...text.matchAll(/^data: (.+"integration\.\w+".+)$/gm)].map(([, data = '']) =>
    IntegrationEvent.parse(JSON.parse(data)),
  );
  expect(events).toMatchObject([
    { type: 'integration.disabled', integration: { id, reason: 'answered 410: the receiver wants no more' } },
    { type: 'integration.enabled', integration: { id, reason: null, failing_since: null } },
  ]);
  const db = await openTables(tocsin);
  const last = await db.selectFrom('events').select('type').orderBy('sequence', 'desc').limit(2).execute();
  expect(last.map(({ type }) => type)).toEqual(['integration.enabled', 'integration.disabled']);
});
