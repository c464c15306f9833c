import { connect } from 'node:net';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { INGEST_LIMITS } from '../../src/service/ingest/limits.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { HANG_MS } from '../support/hang.ts';
import { createLogLines } from '../support/log-lines.ts';
import { startSlowUpload } from '../support/slow-upload.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

const EVENT = { service: 'backup', summary: 'the nightly backup failed' };

async function refusalsOf(registry: Registry): Promise<Readonly<Record<string, number>>> {
  const metric = await registry.getSingleMetric('tocsin_ingest_refused_total')?.get();
  const counted = metric?.values.filter(({ value }) => value > 0) ?? [];
  return Object.fromEntries(counted.map(({ labels, value }) => [String(labels.reason), value]));
}

it.each([
  ['/traces', {}, 'message'],
  ['/alertmanager', { version: '4', alerts: [] }, 'detail'],
  ['/cloudevents', {}, 'detail'],
  ['/generic', EVENT, 'detail'],
  ['/integrations', { type: 'otlp' }, 'detail'],
])('refuses another charset than utf-8 at %s', async (path, body, message) => {
  await using tocsin = await startTestService();
  const type = path === '/cloudevents' ? 'application/cloudevents+json' : 'application/json';

  const headers = { 'content-type': `${type}; charset=iso-8859-1` };
  const response = await tocsin.call('POST', path, { body, headers });

  expect(response.status).toBe(415);
  expect(Object(await response.json())[message]).toContain('utf-8');
});

it.each([
  ['/v1/alertmanager', INGEST_LIMITS.alertmanagerBytes, () => '{"version":"4","alerts":[]}', 200],
  ['/v1/grafana', INGEST_LIMITS.alertmanagerBytes, () => '{"version":"1","alerts":[]}', 200],
  ['/api/v2/alerts', INGEST_LIMITS.alertmanagerBytes, () => '[]', 200],
  ['/v2/alerts', INGEST_LIMITS.eventsBytes, () => '{"message":"m"}', 202],
  ['/v1/cloudevents', INGEST_LIMITS.eventsBytes, () => '[]', 200],
  ['/v1/generic', INGEST_LIMITS.eventsBytes, () => JSON.stringify(EVENT), 200],
  [
    '/v2/enqueue',
    INGEST_LIMITS.pagerDutyBytes,
    (key: string) => JSON.stringify({ routing_key: key, event_action: 'resolve', dedup_key: 'a' }),
    202,
  ],
])('limits the bytes of a body at %s to %i', async (path, limit, bodyFor, accepted) => {
  await using tocsin = await startTestService();
  const key = tocsin.readWriteKey;
  const type = path === '/v1/cloudevents' ? 'application/cloudevents-batch+json' : 'application/json';
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const send = async (bytes: number) => {
    const body = bodyFor(key).padEnd(bytes);
    const request = new Request(`${PUBLIC_URL}${path}`, { method: 'POST', headers, body });
    return (await tocsin.service.fetch(request)).status;
  };

  expect([await send(limit), await send(limit + 1)]).toEqual([accepted, 413]);
});

it('refuses another charset in PagerDuty events', async () => {
  await using tocsin = await startTestService();
  const body = JSON.stringify({ routing_key: tocsin.readWriteKey, event_action: 'trigger', payload: { summary: 'a' } });
  const headers = { 'content-type': 'application/json; charset=iso-8859-1' };

  const response = await tocsin.service.fetch(
    new Request(`${PUBLIC_URL}/v2/enqueue`, { method: 'POST', headers, body }),
  );

  expect(response.status).toBe(400); // PagerDuty's status for every error
  expect(await response.text()).toContain('utf-8');
});

it('refuses text that is not UTF-8, also where no signals are sent', async () => {
  await using tocsin = await startTestService();
  const body = Buffer.from('{"type":"otlp","name":"caf\xe9"}', 'latin1');
  const headers = { authorization: `Bearer ${tocsin.readWriteKey}`, 'content-type': 'application/json' };

  const response = await tocsin.service.fetch(
    new Request(`${PUBLIC_URL}/v1/integrations`, { method: 'POST', headers, body }),
  );

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid-json', detail: 'the body is not valid UTF-8' });
});

it.each(['/v1/traces', '/v1/generic'])('does not blame itself when a client breaks off at %s', async (path) => {
  const { logger, lines } = createLogLines();
  const registry = new Registry();
  await using tocsin = await startTestService({ logger, registry });
  await using door = await openFrontDoor('127.0.0.1', 0);
  door.handlers.service = tocsin.service.fetch;
  const socket = connect(Number(new URL(door.url).port), '127.0.0.1');
  const head = [`POST ${path} HTTP/1.1`, 'host: tocsin', `authorization: Bearer ${tocsin.readWriteKey}`];

  socket.write([...head, 'content-type: application/json', 'content-length: 1000', '', '{'].join('\r\n'));
  await vi.waitUntil(() => isKeyUsed(tocsin), { timeout: HANG_MS });
  socket.destroy();

  await expect.poll(() => refusalsOf(registry)).toEqual({ client_gone: 1 });
  const loud = lines.map((line) => JSON.parse(line)).filter(({ level }) => level > 20);
  expect(loud).toEqual([]);
});

/** Whether the service has authenticated a request with the read-write key. */
async function isKeyUsed({ database }: TestService): Promise<boolean> {
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const { rows } = await sql`select from api_keys where scope = 'read-write' and last_used_at is not null`.execute(db);
  return rows.length > 0;
}

it('lets one key fill half of the memory for bodies, and serves the others', async () => {
  const registry = new Registry();
  await using tocsin = await startTestService({ registry });
  const greedyKey = await tocsin.service.createKey('greedy', 'ingest');
  const fairKey = await tocsin.service.createKey('fair', 'ingest');
  const share = INGEST_LIMITS.bytesInFlight / 2;
  const uploads = Array.from({ length: 6 }, () =>
    startSlowUpload(tocsin.service.fetch, `${PUBLIC_URL}/v1/logs`, greedyKey, share / 6 - 2),
  );
  await Promise.all(uploads.map(({ isTaken }) => isTaken));

  const refused = await tocsin.call('POST', '/traces', { key: greedyKey, body: { resourceSpans: [] } });
  const refusedEvent = await tocsin.call('POST', '/generic', { key: greedyKey, body: EVENT });
  const served = await tocsin.call('POST', '/generic', { key: fairKey, body: EVENT });
  for (const upload of uploads) {
    upload.end();
  }
  const answers = await Promise.all(uploads.map(({ response }) => response));
  const servedLater = await tocsin.call('POST', '/generic', { key: greedyKey, body: EVENT });

  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(await refused.json()).toMatchObject({ code: 14 });
  expect(refusedEvent.status).toBe(503);
  expect(await refusedEvent.json()).toMatchObject({ code: 'overloaded' });
  expect([served.status, servedLater.status]).toEqual([200, 200]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await refusalsOf(registry)).toEqual({ overloaded: 2 });
});
