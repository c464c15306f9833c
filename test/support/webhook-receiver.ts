import type { ServerResponse } from 'node:http';
import { type Kysely, sql } from 'kysely';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { type Delivery, DeliveryList } from '../../src/contract/integrations.ts';
import { EVENTS_CHANNEL } from '../../src/service/store/events/event-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import type { TestDatabase } from './database.ts';
import { advanceDatabaseClock } from './database-clock.ts';
import { HANG_MS } from './hang.ts';
import { startLoopback } from './loopback.ts';
import type { TestService } from './test-service.ts';

export interface ReceivedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A real HTTP server that receives webhooks. */
export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** The response to further requests. */
  respond: (response: ServerResponse, webhook: ReceivedWebhook) => unknown;
  /** Waits until it has received this many. */
  take(count: number): Promise<readonly ReceivedWebhook[]>;
}

export async function startWebhookReceiver(
  respond: WebhookReceiver['respond'] = answer(204),
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = await startLoopback((response, request) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const webhook = { headers, body: server.bodies.at(-1) ?? '' };
    received.push(webhook);
    receiver.respond(response, webhook);
  });
  const receiver: WebhookReceiver = {
    url: `${server.url}/hooks`,
    received,
    respond,
    async take(count) {
      await vi.waitUntil(() => received.length >= count, { timeout: HANG_MS, interval: 5 });
      return received.slice(0, count);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return receiver;
}

export function answer(status: number, headers: Record<string, string> = {}): WebhookReceiver['respond'] {
  return (response) => response.writeHead(status, headers).end();
}

/** The type of a webhook's event. */
export function typeOf({ body }: ReceivedWebhook): string {
  return JSON.parse(body).type;
}

const opened = new WeakMap<TestDatabase, Promise<Kysely<ServiceTables>>>();

/** The tables of a service, by one pool of connections. */
export function openTables({ database }: TestService): Promise<Kysely<ServiceTables>> {
  const tables = opened.get(database) ?? database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  opened.set(database, tables);
  return tables;
}

/** What happens to an incident once each, by the test. What correlation revises (`incident.updated`) comes at its own time. */
export const LIFE = ['incident.opened', 'incident.acknowledged', 'incident.closed'];

const CreatedWebhook = z.object({ id: z.string(), secret: z.string() });

/** @param config events: those of `LIFE` unless told */
export async function addWebhook(
  tocsin: TestService,
  config: { readonly url: string; readonly events?: readonly string[] | 'all' },
): Promise<z.infer<typeof CreatedWebhook>> {
  const { url, events = LIFE } = config;
  const body = { type: 'webhook', config: events === 'all' ? { url } : { url, events } };
  const response = await tocsin.call('POST', '/integrations', { body });
  expect(response.status).toBe(201);
  return CreatedWebhook.parse(await response.json());
}

export async function readWebhook(tocsin: TestService, id: string) {
  const db = await openTables(tocsin);
  const integration = await db.selectFrom('integrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const waiting = await db
    .selectFrom('webhook_deliveries')
    .select(['sequence', 'attempts'])
    .where('integration_id', '=', id)
    .where('gave_up_at', 'is', null)
    .orderBy('sequence')
    .execute();
  return {
    lastUsedAt: integration.last_used_at,
    lastError: integration.last_error,
    disabledAt: integration.disabled_at,
    waiting,
  };
}

/** Moves the clocks of the service and of its database ahead, and makes all services look for due deliveries. */
export async function passTime(tocsin: TestService, ms: number): Promise<void> {
  tocsin.clock.skip(ms);
  await advanceDatabaseClock(tocsin.database, SERVICE_SCHEMA, ms);
  tocsin.clock.wake();
  await sql`select pg_notify(${EVENTS_CHANNEL}, '')`.execute(await openTables(tocsin));
}

/** Reads a page of the delivery log of a webhook. */
export async function listDeliveries(tocsin: TestService, id: string, query = ''): Promise<DeliveryList> {
  const response = await tocsin.call('GET', `/integrations/${id}/deliveries${query}`, { key: tocsin.readOnlyKey });
  expect(response.status).toBe(200);
  return DeliveryList.parse(await response.json());
}

/** Waits until so many deliveries are logged, and none is under way. @returns the newest first */
export async function takeLogged(tocsin: TestService, id: string, count: number): Promise<readonly Delivery[]> {
  const logged = await vi.waitUntil(
    async () => {
      const { deliveries } = await listDeliveries(tocsin, id);
      return deliveries.length >= count ? deliveries : null;
    },
    { timeout: HANG_MS },
  );
  await rest(tocsin, id);
  return logged;
}

/** Waits until nothing is under way to a webhook: what is, waits as long after the time has passed as before. */
export async function rest(tocsin: TestService, id: string): Promise<void> {
  const db = await openTables(tocsin);
  const isResting = async () => {
    const { rows } = await sql`select from effects where subject = ${id} and leased_until is not null`.execute(db);
    return rows.length === 0;
  };
  await vi.waitUntil(isResting, { timeout: HANG_MS });
}

/** Fails a service until it has an incident. @returns the id of the incident */
export async function openIncidentOf(tocsin: TestService, service = 'payments'): Promise<string> {
  await tocsin.failIn([service]);
  return (await tocsin.openIncident()).id;
}

/** @param path relative to `/integrations/` */
export function postToIntegration(tocsin: TestService, path: string, body?: object): Promise<Response> {
  return tocsin.call('POST', `/integrations/${path}`, body === undefined ? {} : { body });
}
