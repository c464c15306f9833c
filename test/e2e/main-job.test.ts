import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addHours } from 'date-fns/addHours';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startShop } from '../../examples/shop/shop.ts';
import { createServiceClient } from '../../src/client/service-client.ts';
import { DeliveryList, Integration } from '../../src/contract/integrations.ts';
import type { Incident } from '../../src/contract/resources.ts';
import { routes } from '../../src/contract/routes.ts';
import { launchBrowser } from '../support/browser.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';
import { useOnCall } from '../support/use-on-call.ts';
import { startValidatingProxy } from '../support/validating-proxy.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const NOTE = '  Rolled back payments to 1.2.2 <&> *see* `run-42`\n\tüñí → 🟢  ';
/** From the first failing request to a card; exporters, correlation and polling each take seconds. */
const CARD_TIMEOUT_MS = 120_000;

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const CLOSED = {
  status: 'closed',
  root_service: 'payments',
  acknowledged_by: 'ana@example.com',
  resolved_by: 'ana@example.com',
  resolution_note: NOTE,
  services: expect.arrayContaining(['payments', 'checkout', 'web']),
};

/** A running Tocsin: its page for people, and the addresses and the key for programs. */
interface Place {
  readonly slackUrl: string | null;
  /** The service itself, for telemetry. */
  readonly serviceUrl: string;
  /** The API as the bot uses it. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Over Socket Mode, `readme.test.ts` does so. */
it('goes from a broken shop to a closed card and on over signed HTTP, and every exchange between bot and service matches the OpenAPI description', async () => {
  await using service = await startTocsin({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' }, ['service']);
  await using proxy = await startValidatingProxy(service.url);
  const apiKey = await readShopKey(service);
  await using bot = await startTocsin({
    INCIDENTS_BASE_URL: proxy.baseUrl,
    INCIDENTS_API_KEY: apiKey,
    SLACK_SIGNING_SECRET: 'a-secret-of-this-test',
  });

  const place = { slackUrl: bot.localSlackUrl, serviceUrl: service.url, baseUrl: proxy.baseUrl, apiKey };
  const incident = await answerAnIncident(place);
  await useWebhooks(proxy.baseUrl, apiKey);
  await useAdditions(proxy.baseUrl, apiKey);
  await useTheRestOf(proxy.baseUrl, apiKey);
  const refused = await useOnCall(proxy.baseUrl, apiKey, `${service.url}/hook`);

  expect(incident).toMatchObject(CLOSED);
  expect(refused).toEqual([422, 404]); // the code of a way is wrong, and nobody is woken by Slack
  expect(proxy.violations).toEqual([]);
  expect(proxy.operations).toEqual(new Set([...Object.keys(routes), 'followEvents', ...Object.keys(SENDERS)]));
});

/** @returns the first incident after it was closed */
async function answerAnIncident({ slackUrl, serviceUrl, baseUrl, apiKey }: Place): Promise<Incident> {
  await using page = await openSlack(slackUrl);
  await using service = createServiceClient({ baseUrl, apiKey });
  await using shop = await startShop({ endpoint: serviceUrl, apiKey });
  const messages = page.getByRole('log').getByRole('listitem');

  shop.break('payments');
  const card = messages.filter({ hasText: '#1 payments' }).first();
  await card.waitFor({ timeout: CARD_TIMEOUT_MS });
  const services = async () => (await service.listIncidents()).incidents[0]?.services;
  await expect.poll(services, { timeout: CARD_TIMEOUT_MS }).toContain('web');
  await card.filter({ hasText: /requests? failed/, hasNotText: 'unsure' }).waitFor({ timeout: CARD_TIMEOUT_MS });
  expect(await card.textContent()).toMatch(/#1 payments: [\s\S]*Not acknowledged/);

  await page.getByRole('textbox', { name: 'Message #incidents' }).fill('/incidents open');
  await page.keyboard.press('Enter');
  const list = messages.filter({ hasText: '1 open incident' });
  await list.waitFor();
  expect(await list.textContent()).toMatch(/Only visible to you[\s\S]*#1 payments/);

  await card.getByRole('button', { name: 'Acknowledge' }).click();
  await messages.filter({ hasText: 'You acknowledged #1' }).waitFor();
  await card.getByText('Acknowledged by @ana').waitFor();
  expect(await card.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);

  await card.getByRole('button', { name: 'Resolve' }).click();
  const modal = page.getByRole('dialog', { name: 'Resolve incident' });
  await modal.getByRole('textbox', { name: 'Resolution note' }).fill(NOTE);
  await modal.getByRole('button', { name: 'Resolve' }).click();
  await messages.filter({ hasText: 'You closed #1' }).waitFor();
  await card.getByText('Closed').waitFor();
  expect(await card.textContent()).toContain('Rolled back payments to 1.2.2 <&>');

  const { incidents, total } = await service.listIncidents();
  expect(total).toBe(1);
  const incident = await service.getIncident(incidents[0]?.id ?? '');
  shop.break('inventory');
  const second = messages.filter({ hasText: /#2 inventory: /, hasNotText: 'unsure' }).first();
  await second.waitFor({ timeout: CARD_TIMEOUT_MS });
  return incident;
}

/** A request for each ingest operation, by operation id. */
const SENDERS: Readonly<Record<string, readonly [path: string, body: object, type?: string]>> = {
  sendTraces: ['/traces', { resourceSpans: [] }],
  sendMetrics: ['/metrics', { resourceMetrics: [] }],
  sendLogs: ['/logs', { resourceLogs: [] }],
  sendAlerts: ['/alertmanager', { version: '4', alerts: [] }],
  sendGrafanaAlerts: ['/grafana', { version: '1', alerts: [] }],
  sendEvents: ['/generic', { service: 'backup', summary: 'it may fail', type: 'log' }],
  sendCloudEvents: [
    '/cloudevents',
    { specversion: '1.0', id: '1', source: '/backup', type: 'failed' },
    'application/cloudevents+json',
  ],
};

/** Calls the operations of a webhook. */
async function useWebhooks(baseUrl: string, apiKey: string): Promise<void> {
  await using receiver = await startWebhookReceiver();
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status).toBeLessThan(300);
    return response.json();
  };
  const { id } = Integration.parse(
    await call('POST', '/integrations', { type: 'webhook', config: { url: receiver.url } }),
  );
  await using service = createServiceClient({ baseUrl, apiKey });
  const { incidents } = await service.listIncidents({ status: 'open' });
  await service.acknowledgeIncident(incidents[0]?.id ?? '', { user: 'ana' });
  await receiver.take(1);

  const delivery = await vi.waitUntil(
    async () => DeliveryList.parse(await call('GET', `/integrations/${id}/deliveries`)).deliveries[0],
    { timeout: HANG_MS },
  );
  await call('POST', `/integrations/${id}/deliveries/${delivery.id}/resend`);
  await call('POST', `/integrations/${id}/resend`, { since: delivery.attempted_at });
  await call('POST', `/integrations/${id}/test`);
  await call('POST', `/integrations/${id}/enable`);
  await call('POST', `/integrations/${id}/rotate-secret`);
}

/** Calls what people do to incidents beyond acknowledging and resolving them. */
async function useAdditions(baseUrl: string, apiKey: string): Promise<void> {
  await using service = createServiceClient({ baseUrl, apiKey });
  const { incidents } = await service.listIncidents();
  const idOf = (status: string) => incidents.find((incident) => incident.status === status)?.id ?? '';
  const [open, closed] = [idOf('open'), idOf('closed')];
  const user = 'ana';
  await service.addNote(open, { user, text: 'looking' });
  const declaration = { title: 'letters come late', service: 'mail', user };
  const declared = await service.declareIncident(declaration, 'letters-1');
  await service.updateIncident(declared.id, { lead: user, user });
  await service.unacknowledgeIncident(open, { user });
  const until = addHours(new Date(), 1);
  const { id } = await service.createMute({ target: 'incident', value: open, until, user });
  expect(await service.listMutes()).toMatchObject([{ id }]);
  await service.deleteMute(id, { user });
  await service.reopenIncident(closed, { user });
  await service.mergeIncident(closed, { into: open, user });
  await service.splitIncident(closed, { user });
  await service.createSignInLink({ user, role: 'viewer' });
}

/** Calls the operations that the bot does not use. */
async function useTheRestOf(baseUrl: string, apiKey: string): Promise<void> {
  await using service = createServiceClient({ baseUrl, apiKey });
  const signals = await service.listSignals({ service: 'payments' });
  const [signal] = signals;
  expect(await service.getSignal(signal?.id ?? '')).toMatchObject({ service: 'payments' });
  const grouped = signals.find(({ incident_id: id }) => id !== undefined);
  expect(await service.listIncidentSignals(grouped?.incident_id ?? '')).not.toEqual([]);
  const read = await service.createIntegration({
    type: 'json',
    name: 'a channel',
    config: { preset: 'slack_message' },
  });
  await service.handOverEvents(read?.id ?? '', [{ subject: 'disk full', title: 'disk full' }], 'once');
  const moved = await fetch(`${baseUrl}/integrations/${read?.id ?? ''}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ system: 'staging' }),
  });
  expect(moved.status).toBe(200);
  for (const { id } of await service.listIntegrations()) {
    await service.deleteIntegration(id);
  }
  for (const [path, body, type = 'application/json'] of Object.values(SENDERS)) {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': type };
    const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
  }
}

async function readShopKey({ dataDir }: TocsinProcess): Promise<string> {
  return (await readFile(join(dataDir, 'keys/shop.key'), 'utf8')).trim();
}

async function openSlack(url: string | null): Promise<Page & AsyncDisposable> {
  const page = await browser.newPage();
  await page.goto(url ?? '');
  return Object.assign(page, { [Symbol.asyncDispose]: () => page.close() });
}
