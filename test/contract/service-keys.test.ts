import { addMinutes } from 'date-fns/addMinutes';
import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { expect, it } from 'vitest';
import { routes } from '../../src/contract/routes.ts';
import { KEY_ACTORS } from '../../src/service/core/key-event.ts';
import { openApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { signIn } from '../support/dashboard.ts';
import { createLogLines } from '../support/log-lines.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const by = KEY_ACTORS.commandLine;

async function dashboard(tocsin: TestService, path: string, key: string, form?: Record<string, string>) {
  return (await signIn(tocsin, key)).visit(path, form === undefined ? {} : { form });
}

it.each([
  ['no key', null, 'Bearer realm="tocsin"'],
  ['an invalid key', 'hello', 'Bearer realm="tocsin", error="invalid_token"'],
  ['an unknown key', createRawKey('read-write').rawKey, 'Bearer realm="tocsin", error="invalid_token"'],
])('answers 401 to %s, also where there is nothing', async (_name, key, challenge) => {
  await using tocsin = await startTestService();

  for (const [method, path] of [
    ['GET', '/incidents'],
    ['POST', '/generic'],
    ['GET', '/nowhere'],
  ] as const) {
    const response = await tocsin.call(method, path, { key });

    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(challenge);
    expect(await response.json()).toMatchObject({ code: 'unauthorized' });
  }
});

it('lets a read-only key only read', async () => {
  await using tocsin = await startTestService();

  const ask = async ({ method, path }: { method: string; path: string }) =>
    (await tocsin.call(method, path.replace('{id}', '1'), { key: tocsin.readOnlyKey })).status;
  const all = [...Object.values(routes), { method: 'POST', path: '/traces' }];
  const mayCall = (route: object) => 'scope' in route && route.scope === 'read-only';
  const reads = await Promise.all(all.filter((route) => route.method === 'GET' && mayCall(route)).map(ask));
  const writes = await Promise.all(all.filter((route) => !mayCall(route)).map(ask));

  expect(new Set(reads)).toEqual(new Set([200, 404, 400])); // some need a query
  expect(writes.length).toBeGreaterThanOrEqual(10);
  expect(new Set(writes)).toEqual(new Set([403]));
});

it('accepts the key of a sender in X-Api-Key too', async () => {
  await using tocsin = await startTestService();

  const response = await tocsin.call('POST', '/traces', {
    key: null,
    headers: { 'x-api-key': tocsin.readWriteKey },
    body: { resourceSpans: [] },
  });

  expect(response.status).toBe(200);
});

it('accepts working keys, and refuses revoked ones', async () => {
  await using tocsin = await startTestService();
  const key = await tocsin.service.createKey('short-lived', 'read-only');
  const before = await tocsin.service.isValidKey(key);
  const page = await (await dashboard(tocsin, '/settings/api-keys', tocsin.readWriteKey)).text();
  const revoke = /href="\/dashboard(\/settings\/api-keys\/key_\w+\/revoke)" aria-label="Revoke short-lived"/.exec(
    page,
  )?.[1];
  const question = await (await dashboard(tocsin, revoke ?? '', tocsin.readWriteKey)).text();

  const revoked = await dashboard(tocsin, revoke ?? '', tocsin.readWriteKey, {});

  expect(before).toBe(true);
  expect(question).toContain('Revoke short-lived?');
  expect(revoked.status).toBe(303);
  expect(await tocsin.service.isValidKey(key)).toBe(false);
  expect(await tocsin.service.isValidKey('')).toBe(false);
  expect((await tocsin.call('GET', '/incidents', { key })).status).toBe(401);
});

it('stores nothing that reveals a key, and records its last use, to the minute', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const readRow = () => db.selectFrom('api_keys').selectAll().where('name', '=', 'test').executeTakeFirstOrThrow();

  const unused = await readRow();
  await tocsin.call('GET', '/incidents');
  const used = await readRow();
  await tocsin.call('GET', '/incidents');
  const sameMinute = await readRow();
  tocsin.advance(minutesToMilliseconds(2));
  await tocsin.call('GET', '/incidents');
  const later = await readRow();

  const secret = tocsin.readWriteKey.slice(-49, -6);
  expect(
    JSON.stringify(Object.values(unused).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value))),
  ).not.toContain(secret);
  expect(unused.last_used_at).toBeNull();
  expect(sameMinute.last_used_at).toEqual(used.last_used_at);
  expect(Number(later.last_used_at)).toBeGreaterThan(Number(used.last_used_at));
});

it('writes no key to the log', async () => {
  const { logger, lines } = createLogLines();
  await using tocsin = await startTestService({ logger });
  const wrong = createRawKey('read-write').rawKey;

  await tocsin.failIn(['payments']);
  await tocsin.openIncident();
  await tocsin.call('GET', '/nowhere', { key: wrong });
  await tocsin.call('POST', '/integrations', { body: '{' });
  const made = await dashboard(tocsin, '/settings/api-keys', tocsin.readWriteKey, { name: 'new', scope: 'read-only' });
  const [raw = ''] = /tcn_ro_\w{60}/.exec(await made.text()) ?? [];
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await db.schema.dropSchema(SERVICE_SCHEMA).cascade().execute(); // so that requests fail
  const failed = await tocsin.call('GET', '/incidents');

  expect(failed.status).toBe(500);
  expect(Object.keys(Object(await failed.json()))).toEqual(['type', 'title', 'status', 'code', 'request_id']);
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.some((line) => line.includes('request failed'))).toBe(true);
  for (const key of [tocsin.readWriteKey, tocsin.readOnlyKey, wrong, raw]) {
    expect(key.length).toBe(67);
    expect(lines.filter((line) => line.includes(key.slice(-49, -6)))).toEqual([]);
  }
});

it('lets the old key of a rotation work until its grace period ends', async () => {
  await using tocsin = await startTestService();
  const keys = await openApiKeyStore(tocsin.database);
  const { key, rawKey: oldKey } = await keys.create('collector', 'read-only', new Date(), by);
  const statusOf = async (raw: string) => (await tocsin.call('GET', '/incidents', { key: raw })).status;

  const rotation = await keys.rotate(key.id, minutesToMilliseconds(10), new Date(), by);
  const newKey = rotation?.rawKey ?? '';
  const during = [await statusOf(oldKey), await statusOf(newKey)];
  const page = await (await dashboard(tocsin, '/settings/api-keys', tocsin.readWriteKey)).text();
  tocsin.advance(minutesToMilliseconds(11));
  const after = [await statusOf(oldKey), await statusOf(newKey)];

  expect(rotation?.key).toMatchObject({ name: 'collector', scope: 'read-only' });
  expect(during).toEqual([200, 200]);
  expect(page).toContain('replaced, ends');
  expect(after).toEqual([401, 200]);
});

it('does not rotate an expired or revoked key, and never extends a key', async () => {
  await using tocsin = await startTestService();
  const keys = await openApiKeyStore(tocsin.database);
  const now = new Date();
  const { key } = await keys.create('collector', 'read-only', now, by);
  const { key: revoked } = await keys.create('left', 'read-only', now, by);
  await keys.revoke(revoked.id, now, by);

  const first = await keys.rotate(key.id, minutesToMilliseconds(1), now, by);
  const second = await keys.rotate(key.id, minutesToMilliseconds(60), now, by);

  expect(second?.oldWorksUntil).toEqual(first?.oldWorksUntil);
  expect(await keys.rotate(key.id, 0, addMinutes(now, 2), by)).toBeNull();
  expect(await keys.rotate(revoked.id, 0, now, by)).toBeNull();
  expect(await keys.rotate('key_nobody', 0, now, by)).toBeNull();
});
