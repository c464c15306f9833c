import { Writable } from 'node:stream';
import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { routes } from '../../src/contract/routes.ts';
import { openApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { signIn, stranger } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;
let ingestKey: string;
let integrationId: string;
const logged: string[] = [];

beforeEach(async () => {
  logged.length = 0;
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  tocsin = await startTestService({ logger: pino({ level: 'trace' }, sink) });
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'alertmanager', name: 'production' } });
  const { id, ingest_key = '' } = Integration.parse(await created.json());
  [integrationId, ingestKey] = [id, ingest_key];
  return () => tocsin[Symbol.asyncDispose]();
});

const traces = { resourceSpans: [] };

const send = (key: string, path = '/traces', body: unknown = traces) => tocsin.call('POST', path, { key, body });

async function readIntegration(): Promise<Integration | undefined> {
  const answer = await tocsin.call('GET', '/integrations');
  return IntegrationList.parse(await answer.json()).integrations.find(({ id }) => id === integrationId);
}

it('lets an ingest key only send', async () => {
  const asked = await Promise.all(
    [...Object.values(routes), { method: 'GET', path: '/events' }].map(async ({ method, path }) => {
      const response = await tocsin.call(method, path.replace('{id}', '1'), { key: ingestKey });
      return [response.status, Object(await response.json()).code];
    }),
  );
  const sent = await Promise.all(['/traces', '/metrics', '/logs'].map((path) => send(ingestKey, path, {})));
  const dashboard = await stranger(tocsin).visit('/sign-in', { form: { key: ingestKey } });

  expect(asked).toHaveLength(Object.keys(routes).length + 1);
  expect(new Set(asked.map(String))).toEqual(new Set(['403,insufficient-scope']));
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(dashboard.status).toBe(403);
});

it('lets a read-write key send too, but not a read-only key', async () => {
  expect((await send(tocsin.readWriteKey)).status).toBe(200);
  const refused = await send(tocsin.readOnlyKey);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ message: 'this needs an API key of scope ingest; yours is read-only' });
});

it('accepts an ingest key in X-Api-Key and in the URL, no other key in the URL, and logs none', async () => {
  const header = await tocsin.call('POST', '/traces', { key: null, headers: { 'x-api-key': ingestKey }, body: traces });
  const address = (key: string, path = '/traces') =>
    tocsin.call('POST', `${path}?token=${key}`, { key: null, body: traces });

  expect(header.status).toBe(200);
  expect((await address(ingestKey)).status).toBe(200);
  expect((await address('tcn_in_wrong')).status).toBe(401);
  expect((await address(tocsin.readWriteKey)).status).toBe(403);
  expect((await address(ingestKey, '/nowhere')).status).toBe(401);
  expect((await tocsin.call('GET', `/incidents?token=${tocsin.readWriteKey}`, { key: null })).status).toBe(401);
  expect(logged.some((line) => line.includes('/v1/traces'))).toBe(true);
  for (const key of [ingestKey, tocsin.readWriteKey]) {
    expect(logged.filter((line) => line.includes(key.slice(-49, -6)))).toEqual([]);
  }
});

it('revokes the key with its integration, and no other key', async () => {
  const deleted = await tocsin.call('DELETE', `/integrations/${integrationId}`);

  expect(deleted.status).toBe(204);
  expect((await send(ingestKey)).status).toBe(401);
  expect((await send(tocsin.readWriteKey)).status).toBe(200);
});

it('records the last use of the integration, to the minute', async () => {
  await send(tocsin.readWriteKey);
  const unused = await readIntegration();
  await send(ingestKey);
  const used = await readIntegration();
  await send(ingestKey);
  const sameMinute = await readIntegration();
  tocsin.advance(minutesToMilliseconds(2));
  await send(ingestKey);
  const later = await readIntegration();

  expect(unused?.last_used_at).toBeNull();
  expect(used?.last_used_at).not.toBeNull();
  expect(sameMinute?.last_used_at).toBe(used?.last_used_at);
  expect(Date.parse(later?.last_used_at ?? '')).toBeGreaterThan(Date.parse(used?.last_used_at ?? ''));
});

it.each([
  ['/traces', '{"resourceSpans": "s3cret"}', 'what was sent was refused with 400'],
  ['/alertmanager', '{"version": "s3cret"', 'invalid-json: the body is not valid JSON'],
  ['/alertmanager', { version: '4', alerts: [{ labels: { s3cret: 1 } }] }, 'invalid-body: /alerts '],
  ['/alertmanager', { version: 's3cret', alerts: [] }, 'invalid-body: /version '],
])('is failing after %s got %j, with the reason and nothing of it, until all is well', async (path, body, reason) => {
  const refused = await send(ingestKey, path, body);
  const failing = await readIntegration();
  const accepted = await send(ingestKey);
  const recovered = await readIntegration();

  expect([400, 422]).toContain(refused.status);
  expect(failing?.status).toBe('failing');
  expect(failing?.last_used_at).not.toBeNull();
  expect(failing?.last_error).toContain(reason);
  expect(failing?.last_error).not.toContain('s3cret');
  expect(accepted.status).toBe(200);
  expect(recovered).toMatchObject({ status: 'active', last_error: null });
});

it('keeps the integration of a rotated key, and disables it without a key', async () => {
  const keys = await openApiKeyStore(tocsin.database);
  const [old] = (await keys.list()).filter((key) => key.integrationId === integrationId);
  const rotation = await keys.rotate(old?.id ?? '', minutesToMilliseconds(10), new Date(), 'a test');
  const rotated = await send(rotation?.rawKey ?? '');
  const used = await readIntegration();

  await keys.revoke(rotation?.key.id ?? '', new Date(), 'a test');

  expect(old).toMatchObject({ name: 'production', scope: 'ingest' });
  expect(rotated.status).toBe(200);
  expect(used).toMatchObject({ status: 'active', last_used_at: expect.any(String) });
  expect(await readIntegration()).toMatchObject({ status: 'disabled' });
});

it('can be created in the dashboard, and is listed there', async () => {
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const ask = (form?: Record<string, string>) => admin.visit('/settings/api-keys', form && { form });
  const [option] = /<option value="ingest">/.exec(await (await ask()).text()) ?? [];
  const [key = ''] = /tcn_in_\w{60}/.exec(await (await ask({ name: 'script', scope: 'ingest' })).text()) ?? [];

  expect(option).toBeDefined();
  expect((await send(key)).status).toBe(200);
  expect(await (await ask()).text()).toContain(key.slice(0, 'tcn_in_0123456789'.length));
});

it('has no integration for a key without an owner', async () => {
  const key = await tocsin.service.createKey('a script', 'ingest');

  expect((await send(key)).status).toBe(200);
  expect(await readIntegration()).toMatchObject({ last_used_at: null });
});
