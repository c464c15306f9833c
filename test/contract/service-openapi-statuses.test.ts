import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { DeliveryList } from '../../src/contract/integrations.ts';
import { MAX_CHANGES } from '../../src/service/core/by-hand.ts';
import { createId } from '../../src/service/core/ids.ts';
import { createOpenApi } from '../../src/service/http/openapi.ts';
import { argoCdNotification } from '../../src/service/ingest/formats/argo-cd/argo-cd.samples.ts';
import { datadogEvent } from '../../src/service/ingest/formats/datadog/datadog.samples.ts';
import { fluxEvent } from '../../src/service/ingest/formats/flux/flux.samples.ts';
import { gitHubDeployment } from '../../src/service/ingest/formats/github/github.samples.ts';
import { gitLabDeployment } from '../../src/service/ingest/formats/gitlab/gitlab.samples.ts';
import { newRelicIssue } from '../../src/service/ingest/formats/new-relic/new-relic.samples.ts';
import { sentryIssue } from '../../src/service/ingest/formats/sentry/sentry.samples.ts';
import { uptimeKumaEvent } from '../../src/service/ingest/formats/uptime-kuma/uptime-kuma.samples.ts';
import { zabbixEvent } from '../../src/service/ingest/formats/zabbix/zabbix.samples.ts';
import { createWayStore } from '../../src/service/store/pages/way-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { HANG_MS } from '../support/hang.ts';
import { createLosableDatabase } from '../support/losable-database.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';
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
const Created = z.object({ id: z.string() });
let webhook: string;
/** An integration with a mapping. */
let mapped: string;
let delivery: string;
let mute: string;
/** Of people, schedules, overrides and swaps, by operation. */
let onCallIds: Readonly<Record<string, string>> = {};
let person: string;
let way: string;
let policy: string;
/** An attempt that a bot reports. */
let attempt: string;
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
  const withMapping = { type: 'json', name: 'mapped', config: { mapping: { title: 'body.summary' } } };
  mapped = Created.parse(await (await tocsin.call('POST', '/integrations', { body: withMapping })).json()).id;
  const other = await tocsin.call('POST', '/integrations', { body: { type: 'alertmanager' } });
  incoming = z.object({ id: z.string() }).parse(await other.json()).id;
  const heartbeat = { type: 'heartbeat', config: { service: 'backup', interval_seconds: 3_600 } };
  const watched = await tocsin.call('POST', '/integrations', { body: heartbeat });
  job = z.object({ ingest_key: z.string() }).parse(await watched.json()).ingest_key;
  const body = { user: 'ana', target: 'service', value: 'stock', until: new Date(Date.now() + 3_600_000) };
  const muted = await tocsin.call('POST', '/mutes', { body });
  mute = z.object({ id: z.string() }).parse(await muted.json()).id;
  const make = async (method: string, path: string, sent: object) =>
    z.object({ id: z.string() }).parse(await (await tocsin.call(method, path, { body: sent })).json()).id;
  person = await make('PUT', '/people/slack:U1', { name: 'Ana' });
  const empty = { time_zone: 'UTC', layers: [] };
  const schedule = await make('POST', '/schedules', { name: 'Stock', ...empty });
  onCallIds = {
    getPerson: person,
    savePerson: person,
    getSchedule: schedule,
    updateSchedule: schedule,
    previewSchedule: schedule,
    listShifts: schedule,
    listGaps: schedule,
    setSlackGroup: schedule,
    setCalendar: schedule,
    reloadCalendar: schedule,
    listFeeds: schedule,
    addFeed: schedule,
    removeFeed: await make('POST', `/schedules/${schedule}/feeds`, {}),
    createOverride: schedule,
    listSwaps: schedule,
    createSwap: schedule,
    deleteSchedule: await make('POST', '/schedules', {
      name: 'Mail',
      ...empty,
    }),
    endOverride: await make('POST', `/schedules/${schedule}/overrides`, {
      person: null,
      to: inAnHour(),
    }),
    answerSwap: await make('POST', `/schedules/${schedule}/swaps`, {
      asker: person,
      to: inAnHour(),
    }),
  };
  const email = { kind: 'email', address: 'ana@tocsin.test' };
  way = Created.parse(await (await tocsin.call('POST', `/people/${person}/ways`, { body: email })).json()).id;
  await createWayStore(db).keepCode(way, CODE);
  await tocsin.call('POST', `/people/${person}/ways`, { body: { kind: 'slack', address: 'U1' } });
  const ofSlack = db.selectFrom('page_attempts').select('id').where('kind', '=', 'slack');
  attempt = (await ofSlack.executeTakeFirstOrThrow()).id;
  const nobody = { ...bodies.replacePolicy, name: 'Nobody' };
  policy = Created.parse(await (await tocsin.call('POST', '/policies', { body: nobody })).json()).id;
  delivery = await vi.waitUntil(
    async () => {
      const { deliveries } = DeliveryList.parse(
        await (await tocsin.call('GET', `/integrations/${webhook}/deliveries`)).json(),
      );
      return deliveries[0]?.id;
    },
    { timeout: HANG_MS },
  );

  spent = cleanup.use(await startTestService({ rateLimitPerMinute: 1 }));
  await spent.call('GET', '/incidents');
  await spent.failIn(['payments'], { times: 10_000 });
  spent.advance(-3_600_000); // no quota comes back until then, however slow the machine is

  broken = cleanup.use(await startTestService());
  const tables = await broken.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await sql`alter table api_keys rename to api_keys_of_old`.execute(tables);

  const losable = cleanup.use(await createLosableDatabase());
  lost = cleanup.use(await startTestService({ database: losable }));
  losable.lose();
});
afterAll(() => cleanup.disposeAsync());

const CODE = '123456';

const EVENT = { service: 'backup', summary: 'it failed' };

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** Queries that operations need. */
const queries: Readonly<Record<string, string>> = {
  deleteMute: '?user=ana',
  listShifts: '?from=2026-01-31&to=2026-02-28',
  getOnCall: '?service=payments',
};

/** Bodies of products, which may have any fields, by operation. */
const vendorBodies: Readonly<Record<string, object>> = {
  sendDatadogEvent: datadogEvent('Triggered'),
  sendNewRelicIssue: newRelicIssue('ACTIVATED'),
  sendSentryHook: sentryIssue('created'),
  sendZabbixEvent: zabbixEvent('1'),
  sendUptimeKumaEvent: uptimeKumaEvent(0),
  sendGitHubEvent: gitHubDeployment('success'),
  sendGitLabEvent: gitLabDeployment('success'),
  sendArgoCdNotification: argoCdNotification('Failed', 'Healthy'),
  sendFluxEvent: fluxEvent('error', 'HealthCheckFailed'),
};

const planOf = (name: string) => ({
  user: 'ana',
  name,
  steps: [{ after_s: 0, to: [{ kind: 'channel', url: 'https://hooks.example/one' }] }],
});

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
  savePerson: { name: 'Ana' },
  createSchedule: { name: 'Payments', time_zone: 'Europe/Berlin', layers: [] },
  updateSchedule: { name: 'Stock', time_zone: 'Europe/Berlin', layers: [] },
  previewSchedule: { name: 'Stock', time_zone: 'Europe/Berlin', layers: [] },
  setCalendar: { url: null },
  setSlackGroup: { group: { id: 'S1', direction: 'write' } },
  reportAttempt: { state: 'accepted' },
  dryRunPolicy: { name: 'Nights', steps: [{ after_s: 0, to: [{ kind: 'person', id: 'person_1' }] }] },
  createOverride: { person: null, to: inAnHour() },
  createSwap: { asker: 'slack:U1', to: inAnHour() },
  answerSwap: { answer: 'declined' },
  createPolicy: planOf('Everything'),
  replacePolicy: planOf('Nobody'),
  addWay: { kind: 'webhook', address: 'https://hooks.example/ana' },
  verifyWay: { code: CODE },
  createIntegration: { type: 'slack', config: { team_id: 'T1', app_id: 'A1' } },
  updateIntegration: { system: 'acme' },
  createSignInLink: { user: 'ana', role: 'viewer' },
  resendEvents: { since: '2026-01-31T08:00:00Z' },
  handOverEvents: { events: [EVENT] },
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

function idFor({ id: name, path }: Pick<Operation, 'id' | 'path'>): string {
  if (name in onCallIds) {
    return onCallIds[name] ?? '';
  }
  if (name === 'handOverEvents') {
    return mapped;
  }
  if (path.startsWith('/integrations')) {
    return path === '/integrations/{id}' ? integration : webhook;
  }
  if (path.startsWith('/mutes')) {
    return mute;
  }
  if (path.startsWith('/policies')) {
    return policy;
  }
  if (path.startsWith('/people')) {
    return person;
  }
  if (path.startsWith('/ways')) {
    return way;
  }
  if (name === 'reportAttempt') {
    return 'test';
  }
  return path.startsWith('/signals') ? signal : open;
}

/** Sends a valid request for an operation, except for the given changes. */
function ask({ id: name, method, path }: Operation, otherwise: Otherwise = {}): Promise<Response> | Response {
  const { to = tocsin, key = to.readWriteKey, query = queries[name] ?? '', headers = {} } = otherwise;
  const id = otherwise.id ?? idFor({ id: name, path });
  const standard = name === 'enqueueEvent' ? { routing_key: key, ...bodies[name] } : bodies[name];
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? (otherwise.body ?? standard) : undefined;
  const type = name === 'sendCloudEvents' ? 'application/cloudevents+json' : 'application/json';
  return to.service.fetch(
    new Request(
      `${PUBLIC_URL}${path.startsWith('/v2') ? '' : '/v1'}${path.replace('{id}', id).replace('{delivery_id}', delivery).replace('{attempt_id}', attempt)}${query}`,
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
    const reads = operation.method === 'GET' || ['previewSchedule', 'dryRunPolicy'].includes(operation.id);
    const scope = reads && !isIngest(operation) ? 'ingest' : 'read-only';
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
    if (operation.id in NEEDED_TABLES) {
      return askTwiceAtOnce(operation);
    }
    return operation.path.startsWith('/integrations')
      ? ask(operation, { id: incoming }) // it is no webhook
      : ask(operation, { id: closed, body: { user: 'ana', resolution_note: 'another', into: '1' } });
  },
  410: (operation) => ask(operation, { query: '?last_event_id=999999' }),
  412: (operation) => ask(operation, { headers: { 'if-match': '"of-another-time"' } }),
  413: (operation) => ask(operation, { headers: { 'content-length': '999999999' } }),
  415: (operation) => ask(operation, { headers: { 'content-type': 'application/xml' } }),
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

/** The table without which an operation cannot go on. */
const NEEDED_TABLES: Readonly<Record<string, string>> = {
  createIntegration: 'integrations',
  updateIntegration: 'integrations',
  handOverEvents: 'signals',
  createSignInLink: 'sign_in_links',
  savePerson: 'people',
  createSchedule: 'schedules',
  updateSchedule: 'schedules',
  previewSchedule: 'schedules',
  createOverride: 'schedules',
  setCalendar: 'schedules',
  setSlackGroup: 'schedules',
  reportAttempt: 'page_attempts',
  reloadCalendar: 'schedules',
  addFeed: 'schedules',
  createSwap: 'schedules',
  answerSwap: 'schedule_swaps',
  declareIncident: 'incidents',
  reopenIncident: 'incidents',
  addNote: 'incidents',
  linkCard: 'incidents',
  createMute: 'incidents',
  createPolicy: 'policies',
  replacePolicy: 'policies',
  drillPolicy: 'policies',
  dryRunPolicy: 'policies',
  addWay: 'ways',
  testWay: 'ways',
  verifyWay: 'ways',
  deleteIntegration: 'integrations',
  deleteMute: 'mutes',
  deletePolicy: 'policies',
  deleteSchedule: 'schedules',
  removeFeed: 'schedule_feeds',
  endOverride: 'schedule_overrides',
  removeWay: 'ways',
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
      { timeout: HANG_MS },
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
