import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { createTestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

interface Hop {
  readonly service: string;
  /** The service that calls it; null: it is the first. */
  readonly caller: string | null;
}

/** Failed server spans of one service in requests along a chain of services. */
function failedSpans({ service, caller }: Hop, requests: readonly string[], atMs: number) {
  const attributes = [{ key: 'service.name', value: { stringValue: service } }];
  const spans = requests.map((request) => ({
    traceId: idOf(request, 32),
    spanId: idOf(request + service, 16),
    ...(caller === null ? {} : { parentSpanId: idOf(request + caller, 16) }),
    name: 'GET /',
    kind: 2,
    startTimeUnixNano: `${atMs - 20}000000`,
    endTimeUnixNano: `${atMs}000000`,
    status: { code: 2, message: 'connection refused' },
  }));
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
}

function idOf(name: string, digits: number): string {
  return createHash('sha256').update(name).digest('hex').slice(0, digits);
}

/** `edge-1` calls `mid-1`, which calls `root-1`; and so on. */
function chain(number: number): Hop[] {
  const names = ['edge', 'mid', 'root'].map((name) => `${name}-${number}`);
  return names.map((service, index) => ({ service, caller: names[index - 1] ?? null }));
}

async function send(tocsin: TestService, hop: Hop, requests: readonly string[]): Promise<void> {
  const body = failedSpans(hop, requests, tocsin.now().getTime());
  expect((await tocsin.call('POST', '/traces', { body })).status).toBe(200);
}

async function list(tocsin: TestService) {
  return IncidentList.parse(await (await tocsin.call('GET', '/incidents?limit=200')).json()).incidents;
}

const REQUESTS = ['a', 'b', 'c'];
const CHAINS = 20;

describe('two processes over one database', () => {
  it('find the incidents and roots that one finds, though no process sees a whole request', async () => {
    await using database = await createTestDatabase();
    await using one = await startTestService({ database, correlateIn: 'own thread' });
    await using other = await startTestService({ database, correlateIn: 'own thread' });

    for (let number = 1; number <= CHAINS; number += 1) {
      const requests = REQUESTS.map((request) => `${request} of ${number}`);
      for (const [index, hop] of chain(number).entries()) {
        await send(index === 1 ? other : one, hop, requests);
      }
    }
    one.advance(SETTLE_MS);
    other.advance(SETTLE_MS);
    await vi.waitUntil(async () => (await list(one)).length >= CHAINS, { timeout: HANG_MS });

    // A slot may have ended in the middle of a chain: then its root is found in the next one.
    one.advance(SETTLE_MS);
    other.advance(SETTLE_MS);
    const roots = async () => (await list(other)).map(({ root_service: service }) => service).toSorted();
    const expected = Array.from({ length: CHAINS }, (_, index) => `root-${index + 1}`).toSorted();
    await expect.poll(roots, { timeout: HANG_MS }).toEqual(expected);
    const [incident] = await list(one);
    const { correlation } = Incident.parse(await (await other.call('GET', `/incidents/${incident?.id}`)).json());
    expect(correlation?.edges.map(({ from, to }) => `${from} ${to}`.replaceAll(/-\d+/g, '')).toSorted()).toEqual([
      'edge mid',
      'mid root',
    ]);
  });

  it('go on where the other stopped, and number no incident twice', async () => {
    await using database = await createTestDatabase();
    await using other = await startTestService({ database, aheadMs: 60_000 });
    const stopped = await startTestService({ database });
    await stopped.failIn(['payments']);
    const first = await stopped.openIncident();
    await stopped[Symbol.asyncDispose]();

    await other.failIn(['payments'], { name: 'GET /other' });
    await other.failIn(['search']);
    other.advance(SETTLE_MS);
    await vi.waitUntil(async () => (await list(other)).length === 2, { timeout: HANG_MS });

    const incidents = await list(other);
    expect(incidents.map(({ number, root_service: root }) => ({ number, root }))).toEqual([
      { number: 2, root: 'search' },
      { number: 1, root: 'payments' },
    ]);
    const joined = async () =>
      SignalList.parse(await (await other.call('GET', `/incidents/${first.id}/signals`)).json()).total;
    await expect.poll(joined, { timeout: HANG_MS }).toBe(2);
  });
});

const BROKEN = Buffer.from('{broken');

it('learns again when its state cannot be read, and continues with the open incidents', async () => {
  await using database = await createTestDatabase();
  const stopped = await startTestService({ database });
  await stopped.failIn(['payments']);
  await stopped.openIncident();
  await stopped.failIn(['mail']);
  stopped.advance(SETTLE_MS);
  await vi.waitUntil(async () => (await list(stopped)).length === 2, { timeout: HANG_MS });
  const startedAt = stopped.now();
  const alert = alertNotification(startedAt, null, { service: 'disk', alertname: 'DiskFull' });
  expect((await stopped.call('POST', '/alertmanager', { body: alert })).status).toBe(200);
  await vi.waitUntil(async () => (await list(stopped)).length === 3, { timeout: HANG_MS });
  await stopped[Symbol.asyncDispose]();
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await db.updateTable('correlation').set({ snapshot: BROKEN }).execute();
  await using tocsin = await startTestService({ database, aheadMs: SETTLE_MS, correlateIn: 'own thread' });

  const isReplaced = async () => {
    const { snapshot } = await db.selectFrom('correlation').select('snapshot').executeTakeFirstOrThrow();
    return snapshot !== null && !snapshot.equals(BROKEN);
  };
  await vi.waitUntil(isReplaced, { timeout: HANG_MS });
  await tocsin.failIn(['payments'], { name: 'GET /again' });
  await tocsin.failIn(['search']);
  tocsin.advance(SETTLE_MS);
  await vi.waitUntil(async () => (await list(tocsin)).length === 4, { timeout: HANG_MS });
  const states = async () =>
    (await list(tocsin)).map(({ number, root_service: root }) => `${number} ${root}`).toSorted();
  expect(await states()).toEqual(['1 payments', '2 mail', '3 disk', '4 search']);

  tocsin.advance(2 * 60_000);
  const activities = async () =>
    Object.fromEntries((await list(tocsin)).map(({ root_service: root, activity }) => [root, activity]));
  await expect
    .poll(activities, { timeout: HANG_MS })
    .toMatchObject({ payments: 'quiet', mail: 'quiet', disk: 'failing' });

  const over = alertNotification(startedAt, tocsin.now(), { service: 'disk', alertname: 'DiskFull' });
  expect((await tocsin.call('POST', '/alertmanager', { body: over, key: stopped.readWriteKey })).status).toBe(200);
  tocsin.advance(SETTLE_MS);
  await expect.poll(activities, { timeout: HANG_MS }).toMatchObject({ disk: 'recovered' });
  expect(await states()).toHaveLength(4);
});

it('goes on when the clock is set back by an hour', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  await tocsin.openIncident();

  tocsin.advance(-60 * 60_000);
  const startedAt = tocsin.now();
  const alert = alertNotification(startedAt, null, { service: 'disk', alertname: 'DiskFull' });
  const areOpen = async () => {
    // What was not judged yet when the clock was set back is forgotten; senders go on.
    await tocsin.failIn(['search']);
    await tocsin.call('POST', '/alertmanager', { body: alert });
    tocsin.advance(SETTLE_MS);
    return (await list(tocsin)).length === 3;
  };
  await vi.waitUntil(areOpen, { timeout: HANG_MS, interval: 500 });
  const roots = (await list(tocsin)).map(({ root_service: root }) => root).toSorted();
  expect(roots).toEqual(['disk', 'payments', 'search']);

  tocsin.advance(2 * 60_000);
  const activities = async () =>
    Object.fromEntries((await list(tocsin)).map(({ root_service: root, activity }) => [root, activity]));
  await expect.poll(activities, { timeout: HANG_MS }).toMatchObject({ payments: 'quiet', search: 'quiet' });
});

it('opens at most a hundred incidents a minute for one sender, and holds the rest in one more', async () => {
  await using tocsin = await startTestService();
  const fail = async (from: number, to: number, key: string) => {
    const body = Array.from({ length: to - from }, (_, index) => ({
      service: `made-up-${from + index}`,
      summary: `failure ${from + index}`,
      dedup_key: String(from + index),
    }));
    expect((await tocsin.call('POST', '/generic', { body, key })).status).toBe(200);
  };
  const sender = await tocsin.service.createKey('noisy sender', 'read-write');

  await fail(0, 100, sender);
  await vi.waitUntil(async () => (await list(tocsin)).length === 100, { timeout: HANG_MS });
  await fail(100, 400, sender);
  await fail(400, 401, tocsin.readWriteKey);
  await vi.waitUntil(async () => (await list(tocsin)).length === 102, { timeout: HANG_MS });

  const incidents = await list(tocsin);
  const flood = incidents.find(({ title }) => title === 'many different failures reported by noisy sender');
  expect(incidents).toHaveLength(102);
  expect(flood).toMatchObject({ signal_count: 300 });
  expect(incidents.map(({ root_service: root }) => root)).toContain('made-up-400');
});

it('names a deployment right before a failure as a reason', async () => {
  await using tocsin = await startTestService();
  const body = { type: 'deploy', service: 'payments', summary: '1.8.2' };
  expect((await tocsin.call('POST', '/generic', { body })).status).toBe(200);
  await tocsin.failIn(['payments']);

  const { id, correlation } = await tocsin.openIncident();

  expect(correlation?.evidence).toContain('payments 1.8.2 deployed just before the first failure');
  const signals = SignalList.parse(await (await tocsin.call('GET', '/signals')).json());
  expect(signals.signals.map(({ incident_id: of }) => of)).toEqual([id]);
});

it('keeps the signals of telemetry that arrives much later than it happened', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  await tocsin.openIncident();
  await tocsin.failIn(['search'], { agoMs: 660_000 });

  const late = await tocsin.openIncident();

  expect(late).toMatchObject({ root_service: 'search', signal_count: 1 });
});
