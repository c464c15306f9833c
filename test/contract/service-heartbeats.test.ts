import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { HANG_MS } from '../support/hang.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

async function create(tocsin: TestService, body: object) {
  const response = await tocsin.call('POST', '/integrations', { body });
  expect(response.status).toBe(201);
  return Integration.parse(await response.json());
}

const nightly = {
  type: 'heartbeat',
  name: 'nightly',
  config: { service: 'backup', interval_seconds: 3_600, grace_seconds: 60 },
};

function requestOf(path: string, init: RequestInit = {}): Request {
  return new Request(`${PUBLIC_URL}${path}`, init);
}

function send(tocsin: TestService, path: string, init: RequestInit = {}): Promise<Response> {
  return tocsin.service.fetch(requestOf(path, init));
}

async function incidents(tocsin: TestService) {
  return IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json()).incidents;
}

/** Waits while the service's clock, not that of its database, moves on. */
function become(tocsin: TestService, is: (incident: Incident) => boolean): Promise<Incident> {
  return vi.waitUntil(
    async () => {
      tocsin.advance(SECOND);
      const [first] = await incidents(tocsin);
      const incident = first && Incident.parse(await (await tocsin.call('GET', `/incidents/${first.id}`)).json());
      return incident !== undefined && is(incident) ? incident : null;
    },
    { timeout: HANG_MS },
  );
}

const isFailing = ({ activity }: Incident) => activity === 'failing';
const isRecovered = ({ activity }: Incident) => activity === 'recovered';

/** As if the monitor had not been heard for that long, and its time were over. */
async function expire(tocsin: TestService, silentMs: number) {
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await sql`
    update monitors set due_at = clock_now(), seen_at = clock_now() - ${silentMs} * interval '1 millisecond'
  `.execute(db);
}

describe('a heartbeat', () => {
  it('that stops opens an incident of its service, which recovers when it comes back', async () => {
    await using tocsin = await startTestService();
    const { ingest_key: key = '', ingest_url: url = '' } = await create(tocsin, nightly);
    const beat = () => send(tocsin, `${new URL(url).pathname}?token=${key}`);

    const first = await beat();
    await expire(tocsin, 90 * 60 * SECOND);
    const opened = await become(tocsin, isFailing);
    await beat();
    const back = await become(tocsin, isRecovered);
    tocsin.advance(HOUR);
    await expire(tocsin, 90 * 60 * SECOND);
    const again = await become(tocsin, isFailing);

    expect([first.status, await first.json()]).toMatchObject([200, { result: 'PONG - Heartbeat received' }]);
    expect(opened).toMatchObject({
      title: 'backup: no heartbeat from nightly for 90 min, expected every 60 min',
      root_service: 'backup',
      integrations: [{ name: 'nightly' }],
      signals: [{ source: { format: 'heartbeat' }, ended_at: null }],
    });
    expect(back).toMatchObject({ id: opened.id, status: 'open', signals_ended_at: expect.any(String) });
    expect(again).toMatchObject({ id: opened.id, recurrences: 1, signals_ended_at: null });
  });

  it.each([
    ['cron', (key: string) => requestOf(`/v1/heartbeat?token=${key}`)],
    ['a sender with a header', (key: string) => requestOf('/v1/heartbeat', { headers: { 'x-api-key': key } })],
    [
      'Alertmanager’s Watchdog',
      (key: string) =>
        requestOf('/v1/heartbeat', {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ version: '4', alerts: [{ labels: { alertname: 'Watchdog' } }] }),
        }),
    ],
    [
      'Opsgenie’s address',
      (key: string) => requestOf('/v2/heartbeats/nightly/ping', { headers: { authorization: `GenieKey ${key}` } }),
    ],
    [
      'Opsgenie’s SDK for Node',
      (key: string) => requestOf('/v2/heartbeats/nightly/ping/', { headers: { authorization: `GenieKey ${key}` } }),
    ],
    [
      'Opsgenie’s address by PUT',
      (key: string) =>
        requestOf('/v2/heartbeats/nightly/ping', { method: 'PUT', headers: { authorization: `GenieKey ${key}` } }),
    ],
    [
      'Grafana OnCall’s address',
      (key: string) => requestOf(`/integrations/v1/webhook/${key}/heartbeat/`, { method: 'POST' }),
    ],
    [
      'OnCall’s type heartbeat',
      (key: string) =>
        requestOf(`/integrations/v1/heartbeat/${key}/`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id: 'nightly', timeout_seconds: 60 }),
        }),
    ],
  ] as const)('is accepted from %s', async (_sender, request) => {
    await using tocsin = await startTestService();
    const { ingest_key: key = '' } = await create(tocsin, nightly);

    const response = await tocsin.service.fetch(request(key));
    const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());

    expect(response.status).toBe(200);
    expect(integrations).toMatchObject([{ type: 'heartbeat', status: 'active', last_used_at: expect.any(String) }]);
  });

  it('is refused with a wrong key, a reading key, or that of another type, and says nothing of integrations', async () => {
    await using tocsin = await startTestService();
    const { ingest_key: other = '' } = await create(tocsin, { type: 'generic', name: 'shop' });
    const statuses = [];
    for (const key of ['tcn_in_unknown', tocsin.readOnlyKey, other]) {
      statuses.push((await send(tocsin, '/v1/heartbeat', { headers: { 'x-api-key': key } })).status);
      statuses.push((await send(tocsin, `/integrations/v1/webhook/${key}/heartbeat/`)).status);
    }

    expect(statuses).toEqual([401, 401, 403, 403, 404, 404]);
  });

  it.each([
    [{ service: 'backup' }, '/config/interval_seconds'],
    [{ service: 'backup', interval_seconds: 9 }, '/config/interval_seconds'],
    [{ service: ' ', interval_seconds: 60 }, '/config/service'],
    [{ service: 'backup', interval_seconds: 60, grace_seconds: 3_000_000 }, '/config/grace_seconds'],
  ])('is not created with %j', async (config, pointer) => {
    await using tocsin = await startTestService();

    const response = await tocsin.call('POST', '/integrations', { body: { type: 'heartbeat', config } });

    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer }] });
  });
});

it('that is late ends its alert when its integration is deleted', async () => {
  await using tocsin = await startTestService();
  const { id, ingest_key: key = '', ingest_url: url = '' } = await create(tocsin, nightly);
  await send(tocsin, `${new URL(url).pathname}?token=${key}`);
  await expire(tocsin, 90 * 60 * SECOND);
  await become(tocsin, isFailing);

  const deleted = await tocsin.call('DELETE', `/integrations/${id}`);
  const over = await become(tocsin, isRecovered);

  expect(deleted.status).toBe(204);
  expect(over.signals_ended_at).not.toBeNull();
});

it('opens an incident when a watched sender falls silent', async () => {
  await using tocsin = await startTestService();
  const watched = { type: 'generic', name: 'shop', config: { silence_minutes: 30 } };
  const { ingest_key: key = '' } = await create(tocsin, watched);
  const use = () =>
    tocsin.call('POST', '/generic', {
      key,
      body: { service: 'web', summary: 'one line', type: 'log', severity: 'info' },
    });
  await use();
  await expire(tocsin, 60 * SECOND);
  await use();

  await expire(tocsin, 30 * 60 * SECOND);
  const silent = await become(tocsin, isFailing);
  await use();
  const back = await become(tocsin, isRecovered);

  expect(silent).toMatchObject({
    title: 'shop: nothing came from shop for 30 min, usually every 60 s or more often',
    root_service: 'shop',
    signals: [{ source: { format: 'silence' } }],
  });
  expect(back.id).toBe(silent.id);
});
