import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { DeliveryList } from '../../src/contract/integrations.ts';
import { MAX_CHANGES } from '../../src/service/core/by-hand.ts';
import { createId } from '../../src/service/core/ids.ts';
import { createOpenApi } from '../../src/service/http/openapi.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createLosableDatabase } from '../support/losable-database.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';
import * as payloads from '../support/vendor-payloads.ts';
import { addWebhook, startWebhookReceiver } from '../support/webhook-receiver.ts';

/** Provokes each documented status of each operation, so that no status is documented in vain. */
const Description = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.unknown()).default({}) })),
      }),
    ),
  ),
});

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

const cases = Object.entries(Description.parse(createOpenApi(PUBLIC_URL)).paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId: id, responses }]) =>
    Object.entries(responses).map(([status, { content }]) => ({
      operation: { id, method: method.toUpperCase(), path },
      status,
      types: Object.keys(content),
    })),
  ),
);

const cleanup = new AsyncDisposableStack();
let tocsin: TestService;
/** Its quotas are used up. */
let spent: TestService;
/** Its table of keys is dropped. */
let broken: TestService;
/** Its database is unreachable. */
let lost: TestService;
let db: Kysely<ServiceTables>;
let open: string;
let closed: string;
let signal: string;
let integration: string;
let incoming: string;
let webhook: string;
let delivery: string;
let mute: string;
/** Key of a heartbeat. */
let job: string;

beforeAll(async () => {
  tocsin = cleanup.use(await startTestService({ webhooks: { allowPrivateAddresses: true } }));
  const receiver = cleanup.use(await startWebhookReceiver());
  webhook = (await addWebhook(tocsin, { url: receiver.url })).id;
  db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await tocsin.failIn(['payments']);
  closed = (await tocsin.openIncident()).id;
  await tocsin.call('POST', `/incidents/${closed}/resolve`, { body: { resolution_note: 'restarted' } });
  await tocsin.failIn(['a-service-of-its-own']);
  const incident = await tocsin.openIncident();
  [open, signal] = [incident.id, incident.signals?.[0]?.id ?? ''];
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'otlp' } });
  integration = z.object({ id: z.string() }).parse(await created.json()).id;
  const other = await tocsin.call('POST', '/integrations', { body: { type: 'alertmanager' } });
  incoming = z.object({ id: z.string() }).parse(await other.json()).id;
  const heartbeat = { type: 'heartbeat', config: { service: 'backup', interval_seconds: 3_600 } };
  const watched = await tocsin.call('POST', '/integrations', { body: heartbeat });
  job = z.object({ ingest_key: z.string() }).parse(await watched.json()).ingest_key;
  const body = { user: 'ana', target: 'service', value: 'stock', until: new Date(Date.now() + 3_600_000) };
  const muted = await tocsin.call('POST', '/mutes', { body });
  mute = z.object({ id: z.string() }).parse(await muted.json()).id;
  delivery = await vi.waitUntil(async () => {
    const { deliveries } = DeliveryList.parse(
      await (await tocsin.call('GET', `/integrations/${webhook}/deliveries`)).json(),
    );
    return deliveries[0]?.id;
  });

  spent = cleanup.use(await startTestService({ rateLimitPerMinute: 1 }));
  await spent.call('GET', '/incidents');
  await spent.failIn(['payments'], { times: 10_000 });

  broken = cleanup.use(await startTestService());
  const tables = await broken.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await sql`alter table api_keys rename to api_keys_of_old`.execute(tables);

  const losable = cleanup.use(await createLosableDatabase());
  lost = cleanup.use(await startTestService({ database: losable }));
  losable.lose();
});
afterAll(() => cleanup.disposeAsync());

const EVENT = { service: 'backup', summary: 'it failed' };

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Queries that operations need. */
const queries: Readonly<Record<string, string>> = { deleteMute: '?user=ana' };

/** Bodies of products, which may have any fields, by operation. */
const vendorBodies: Readonly<Record<string, object>> = {
  sendDatadogEvent: payloads.datadogEvent('Triggered'),
  sendNewRelicIssue: payloads.newRelicIssue('ACTIVATED'),
  sendSentryHook: payloads.sentryIssue('created'),
  sendZabbixEvent: payloads.zabbixEvent('1'),
  sendUptimeKumaEvent: payloads.uptimeKumaEvent(0),
  sendGitHubEvent: payloads.gitHubDeployment('success'),
  sendGitLabEvent: payloads.gitLabDeployment('success'),
  sendArgoCdNotification: payloads.argoCdNotification('Failed', 'Healthy'),
  sendFluxEvent: payloads.fluxEvent('error', 'HealthCheckFailed'),
};

/** Request bodies by operation. */
const bodies: Readonly<Record<string, object>> = {
  ...vendorBodies,
  declareIncident: { title: 'letters come late', service: 'mail', user: 'ana' },
  updateIncident: { lead: 'ana', user: 'ana' },
  acknowledgeIncident: { user: 'ana' },
  resolveIncident: { resolution_note: 'restarted' },
  unacknowledgeIncident: { user: 'ana' },
  reopenIncident: { user: 'ana' },
  addNote: { user: 'ana', text: 'looking' },
  linkCard: { url: 'https://example.slack.com/archives/C1/p1', place: '#incidents' },
  mergeIncident: { user: 'ana', into: '1' },
  splitIncident: { user: 'ana' },
  createMute: { user: 'ana', target: 'service', value: 'payments', until: inAnHour() },
  createIntegration: { type: 'slack', config: { team_id: 'T1', app_id: 'A1' } },
  createSignInLink: { user: 'ana', role: 'viewer' },
  resendEvents: { since: '2026-01-31T08:00:00Z' },
  sendAlerts: { version: '4', alerts: [] },
  sendGrafanaAlerts: { version: '1', alerts: [] },
  sendCloudEvents: { specversion: '1.0', id: '1', source: '/a', type: 'b', service: 'backup' },
  sendEvents: EVENT,
  sendTraces: {},
  sendMetrics: {},
  sendLogs: {},
  enqueueEvent: { event_action: 'trigger', payload: { summary: 'it failed', source: 'db-1', severity: 'error' } },
};

interface Otherwise {
  readonly to?: TestService;
  readonly key?: string;
  readonly id?: string;
  readonly query?: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

function idFor(path: string): string {
  if (path.startsWith('/integrations')) {
    return path === '/integrations/{id}' ? integration : webhook;
  }
  if (path.startsWith('/mutes')) {
    return mute;
  }
  return path.startsWith('/signals') ? signal : open;
}

/** Sends a valid request for an operation, except for the given changes. */
function ask({ id: name, method, path }: Operation, otherwise: Otherwise = {}): Promise<Response> | Response {
  const { to = tocsin, key = to.readWriteKey, query = queries[name] ?? '', headers = {} } = otherwise;
  const id = otherwise.id ?? idFor(path);
  const standard = name === 'enqueueEvent' ? { routing_key: key, ...bodies[name] } : bodies[name];
  const body = method === 'POST' || method === 'PATCH' ? (otherwise.body ?? standard) : undefined;
  const type = name === 'sendCloudEvents' ? 'application/cloudevents+json' : 'application/json';
  return to.service.fetch(
    new Request(
      `${PUBLIC_URL}${path.startsWith('/v2') ? '' : '/v1'}${path.replace('{id}', id).replace('{delivery_id}', delivery)}${query}`,
      {
        method,
        headers: {
          ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': type }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      },
    ),
  );
}

const isIngest = ({ id }: Operation) => /^(send|enqueue)/.test(id);

/** How each status is provoked. */
const provocations: Readonly<Record<string, (operation: Operation) => Promise<Response> | Response>> = {
  200: async (operation) => {
    await (operation.id === 'createIntegration' ? ask(operation) : null);
    const toReopen = { unacknowledgeIncident: [open], mergeIncident: [open, closed] }[operation.id] ?? [];
    for (const id of toReopen) {
      await tocsin.call('POST', `/incidents/${id}/reopen`, { body: { user: 'ana' } });
    }
    return ask(operation, operation.path === '/heartbeat' ? { key: job } : {});
  },
  201: async (operation) => ask(operation, operation.id === 'createIntegration' ? { body: { type: 'generic' } } : {}),
  202: (operation) => ask(operation),
  204: (operation) => ask(operation),
  304: (operation) => ask(operation, { headers: { 'if-none-match': '*' } }),
  400: (operation) => ask(operation, isIngest(operation) ? { body: '{' } : { query: '?nonsense=1' }),
  401: (operation) => ask(operation, { key: '' }),
  403: async (operation) => {
    const scope = operation.method === 'GET' && !isIngest(operation) ? 'ingest' : 'read-only';
    return ask(operation, { key: await tocsin.service.createKey('may not', scope) });
  },
  404: (operation) => ask(operation, { id: createId('inc', new Date()) }),
  405: (operation) => ask({ ...operation, method: 'PUT' }),
  409: async (operation) => {
    if (operation.id === 'updateIncident') {
      const change = { incident_id: closed, at: new Date(), event: 'changed', author: 'ana', text: 'lead' } as const;
      const many = Array.from({ length: MAX_CHANGES }, () => change);
      await db.insertInto('timeline_entries').values(many).execute();
      return ask(operation, { id: closed });
    }
    if (
      [
        'createIntegration',
        'createSignInLink',
        'declareIncident',
        'reopenIncident',
        'addNote',
        'linkCard',
        'createMute',
      ].includes(operation.id)
    ) {
      return askTwiceAtOnce(operation);
    }
    return operation.path.startsWith('/integrations')
      ? ask(operation, { id: incoming }) // it is no webhook
      : ask(operation, { id: closed, body: { user: 'ana', resolution_note: 'another', into: '1' } });
  },
  410: (operation) => ask(operation, { query: '?last_event_id=999999' }),
  412: (operation) => ask(operation, { headers: { 'if-match': '"of-another-time"' } }),
  413: (operation) => ask(operation, { headers: { 'content-length': '999999999' } }),
  415: (operation) => ask(operation, { headers: { 'content-type': 'text/plain' } }),
  422: async (operation) => {
    if (operation.id in bodies) {
      return ask(operation, { body: operation.id in vendorBodies ? [] : {} });
    }
    const headers = { 'idempotency-key': 'of another request' };
    await tocsin.call('POST', `/incidents/${open}/notes`, { body: bodies.addNote, headers });
    return ask(operation, { headers });
  },
  429: (operation) => ask(operation, { to: spent }),
  500: (operation) => ask(operation, { to: broken }),
  503: (operation) => ask(operation, { to: lost }),
  '4XX': (operation) => ask(operation, { body: '{' }),
  '5XX': (operation) => ask(operation, { to: broken }),
};

/** The table without which an operation cannot go on, if it is not `incidents`. */
const NEEDED_TABLES: Readonly<Record<string, string>> = {
  createIntegration: 'integrations',
  createSignInLink: 'sign_in_links',
};

/** @returns the response to the second request while the first one is blocked */
async function askTwiceAtOnce(operation: Operation): Promise<Response> {
  const key = `at once: ${operation.id}`;
  const once = { headers: { 'idempotency-key': key } };
  const { first, second } = await db.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(NEEDED_TABLES[operation.id] ?? 'incidents')} in access exclusive mode`.execute(tx);
    const begun = ask(operation, once);
    await vi.waitUntil(
      async () => {
        const { rows } = await sql`select from idempotency_keys where idempotency_key = ${key}`.execute(tx);
        return rows.length > 0;
      },
      { timeout: 30_000 },
    );
    return { first: begun, second: await ask(operation, once) };
  });
  await first;
  return second;
}

it.each(cases)('$operation.id answers $status as documented', async ({ operation, status, types }) => {
  const response = await provocations[status]?.(operation);

  expect(String(response?.status)).toMatch(new RegExp(`^${status.replaceAll('X', '\\d')}$`));
  const type = response?.headers.get('content-type')?.split(';')[0] ?? null;
  expect(types.length === 0 ? [null] : types).toContain(type);
  await response?.body?.cancel();
});
