import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { subDays } from 'date-fns/subDays';
import { sql } from 'kysely';
import { beforeEach, expect, it, vi } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;

beforeEach(async () => {
  tocsin = await startTestService();
  return () => tocsin[Symbol.asyncDispose]();
});

/** Has no natural key, so each handled request creates another one. */
const otlp = { type: 'otlp' };
const webhook = { type: 'webhook', config: { url: 'https://hooks.example/tocsin' } };
const inOneDay = new Date(Date.now() + hoursToMilliseconds(24)).toISOString();
const slack = { type: 'slack', config: { team_id: 'T1', app_id: 'A1' } };

const create = (on: TestService, key: string, body: unknown = otlp) =>
  on.call('POST', '/integrations', { headers: { 'idempotency-key': key }, body });

async function countIntegrations(): Promise<unknown> {
  const answer: unknown = await (await tocsin.call('GET', '/integrations')).json();
  return (answer as { total: unknown }).total;
}

it('handles a request once and repeats its response, whichever process it reaches', async () => {
  await using neighbour = await startTestService({ database: tocsin.database });

  const first = await create(tocsin, 'k1', slack);
  const again = await neighbour.call('POST', '/integrations', {
    key: tocsin.readWriteKey,
    headers: { 'idempotency-key': 'k1' },
    body: slack,
  });

  expect([first.status, again.status]).toEqual([201, 201]);
  expect(await again.text()).toBe(await first.text());
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await countIntegrations()).toBe(1);
});

it.each([
  ['PATCH', ''],
  ['POST', '/acknowledge'],
])('handles a %s of an incident once, although the repetition has a newer condition', async (method, path) => {
  const declared = { title: 'no payments', service: 'payments', severity: 'error' };
  const opened = await tocsin.call('POST', '/incidents', { body: declared });
  const { id } = Incident.parse(await opened.json());
  const send = (tag: string | null) =>
    tocsin.call(method, `/incidents/${id}${path}`, {
      headers: { 'idempotency-key': 'k1', 'if-match': tag ?? '*' },
      body: { user: 'ana', ...(method === 'PATCH' && { lead: 'ana' }) },
    });
  await send(opened.headers.get('etag'));
  const { etag } = Object.fromEntries((await tocsin.call('GET', `/incidents/${id}`)).headers);

  const again = await send(etag ?? null);

  const { timeline } = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(timeline).toHaveLength(3); // opened, declared, and that
});

it('repeats a response without a body', async () => {
  const { id } = Object(await (await create(tocsin, 'k1')).json());
  const remove = () => tocsin.call('DELETE', `/integrations/${id}`, { headers: { 'idempotency-key': 'k2' } });

  expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
});

it.each([
  ['ingest_key', otlp],
  ['secret', webhook],
])('shows %s only in the first response, and does not store it', async (field, body) => {
  const first: unknown = await (await create(tocsin, 'k1', body)).json();
  const again = await create(tocsin, 'k1', body);

  const { [field]: secret, ...told } = Object(first);
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const kept = await db.selectFrom('idempotency_keys').selectAll().executeTakeFirstOrThrow();
  expect(secret).toMatch(/^(tcn_in_\w{60}|whsec_[\w+/]{43}=)$/);
  expect(again.status).toBe(201);
  expect(await again.json()).toEqual(told);
  expect(kept.body).toContain(told.id);
  expect(JSON.stringify(kept)).not.toContain(secret.slice(-43));
});

it('handles one of many concurrent requests, and gives the others its response or 409', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(tocsin, 'k1')));

  expect(await countIntegrations()).toBe(1);
  expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
});

it('answers 409 while the first request is running', async () => {
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);

  const [first, second] = await db
    .transaction()
    .execute(async (tx) => {
      await sql`lock table integrations in exclusive mode`.execute(tx);
      const waiting = create(tocsin, 'k1');
      const isRunning = async () => {
        const { rows } = await sql`select from idempotency_keys where idempotency_key = 'k1'`.execute(tx);
        return rows.length > 0;
      };
      await vi.waitUntil(isRunning, { timeout: HANG_MS });
      return [waiting, await create(tocsin, 'k1')] as const;
    })
    .then(async ([waiting, refused]) => [await waiting, refused] as const);

  expect(first.status).toBe(201);
  expect(second.status).toBe(409);
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await second.json()).toMatchObject({ code: 'request-in-flight' });
});

it('refuses a key for another request, and separates the keys of different callers', async () => {
  await create(tocsin, 'k1');
  const otherBody = await create(tocsin, 'k1', { ...otlp, name: 'other' });
  const otherCaller = await tocsin.call('POST', '/integrations', {
    key: await tocsin.service.createKey('other', 'read-write'),
    headers: { 'idempotency-key': 'k1' },
    body: { ...otlp, name: 'other' },
  });

  expect(otherBody.status).toBe(422);
  expect(await otherBody.json()).toMatchObject({ code: 'idempotency-key-reused' });
  expect(otherCaller.status).toBe(201);
});

it('stores no errors: a corrected request may use the key again', async () => {
  expect((await create(tocsin, 'k1', { type: 'otlp', name: '' })).status).toBe(422);

  expect((await create(tocsin, 'k1')).status).toBe(201);
});

it('shows no stored response to a read-only key', async () => {
  await create(tocsin, 'k1');
  const reader = await tocsin.call('POST', '/integrations', {
    key: tocsin.readOnlyKey,
    headers: { 'idempotency-key': 'k1' },
    body: otlp,
  });

  expect(reader.status).toBe(403);
});

it.each(['x'.repeat(256), 'caf\u00e9'])('refuses %s as a key', async (key) => {
  const response = await create(tocsin, key);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid-idempotency-key' });
});

it('expires responses after a day, and removes them', async () => {
  await create(tocsin, 'k1');
  await create(tocsin, 'k2');
  await advanceDatabaseClock(tocsin.database, SERVICE_SCHEMA, hoursToMilliseconds(23));
  const late = await create(tocsin, 'k1');
  await advanceDatabaseClock(tocsin.database, SERVICE_SCHEMA, hoursToMilliseconds(1));
  const tooLate = await create(tocsin, 'k1');
  tocsin.advance(minutesToMilliseconds(10));

  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const kept = () => db.selectFrom('idempotency_keys').select('idempotency_key').execute();
  expect(late.headers.get('idempotent-replayed')).toBe('true');
  expect([tooLate.status, tooLate.headers.get('idempotent-replayed')]).toEqual([201, null]);
  await expect.poll(kept).toEqual([{ idempotency_key: 'k1' }]);
  expect(await countIntegrations()).toBe(3);
});

it('lets a retry replace a request that died with its process', async () => {
  await create(tocsin, 'k1');
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await db.updateTable('idempotency_keys').set({ status: null }).execute();

  const early = await create(tocsin, 'k1');
  await advanceDatabaseClock(tocsin.database, SERVICE_SCHEMA, 60_000);
  const later = await create(tocsin, 'k1');

  expect([early.status, later.status]).toEqual([409, 201]);
});

it.each([
  ['/integrations', otlp, '/integrations'],
  ['/integrations', webhook, '/integrations'],
  ['/mutes', { target: 'service', value: 'payments', until: inOneDay, user: 'ana' }, '/mutes'],
  [
    '/policies',
    { name: 'nights', steps: [{ after_s: 0, to: [{ kind: 'channel', url: 'https://ops.example' }] }], user: 'ana' },
    '/policies',
  ],
  ['/incidents/1/notes', { text: 'restarted', user: 'ana' }, '/incidents/1?signals=none'],
])('stores nothing of a POST to %s whose response cannot be stored', async (path, body, shownBy) => {
  const declared = { title: 'no payments', service: 'orders', severity: 'error' };
  await tocsin.call('POST', '/incidents', { body: declared });
  const show = async () => (await tocsin.call('GET', shownBy)).text();
  const post = () => tocsin.call('POST', path, { headers: { 'idempotency-key': 'k1' }, body });
  const before = await show();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const alter = (what: string) => sql`alter table idempotency_keys ${sql.raw(what)}`.execute(db);
  await alter('add constraint no_response check (status is null)');

  const failed = await post();
  const afterwards = await show();
  await alter('drop constraint no_response');
  const again = await post();

  expect([failed.status, again.ok]).toEqual([500, true]);
  expect(afterwards).toBe(before);
  expect(await show()).not.toBe(before);
});

it('takes an end and a failure of a day that has no signals yet', async () => {
  const made = await tocsin.call('POST', '/integrations', {
    body: { type: 'json', config: { preset: 'slack_message' } },
  });
  const { id } = (await made.json()) as { id: string };
  const about = { color: 'none', fields: [], change: 'post', at: subDays(new Date(), 3).toISOString() };
  const events = ['[Triggered] disk', '[Resolved] disk'].map((title) => ({ ...about, title, subject: title }));

  const taken = await tocsin.call('POST', `/integrations/${id}/events`, {
    headers: { 'idempotency-key': 'k1' },
    body: { events },
  });

  expect(taken.status).toBe(200);
});

it('stores nothing of a request whose place a retry has taken', async () => {
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  let late = Promise.resolve(new Response());

  await db.transaction().execute(async (tx) => {
    await sql`lock table integrations in exclusive mode`.execute(tx);
    late = create(tocsin, 'k1');
    const claims = () => db.selectFrom('idempotency_keys').select('claim').execute();
    await vi.waitUntil(async () => (await claims()).length === 1, { timeout: HANG_MS });
    await db.updateTable('idempotency_keys').set({ claim: 'of the retry' }).execute();
  });

  expect((await late).status).toBe(409);
  expect(await countIntegrations()).toBe(0);
});
