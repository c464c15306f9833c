import { type Kysely, sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createTestDatabase } from '../support/database.ts';
import { openEventStream } from '../support/event-stream.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTocsin } from '../support/tocsin-process.ts';

const span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'GET /',
  kind: 2,
  startTimeUnixNano: `${Date.now()}000000`,
  endTimeUnixNano: `${Date.now()}000000`,
  status: { code: 2 },
};
const telemetry = JSON.stringify({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'payments' } }] },
      scopeSpans: [{ spans: [span] }],
    },
  ],
});

it('ends streams, finishes requests in flight and accepts no new ones when it is stopped', async () => {
  await using database = await createTestDatabase();
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const key = createRawKey('read-write').rawKey;
  await using tocsin = await startTocsin({ DATABASE_URL: database.url, BOOTSTRAP_API_KEY: key }, ['service']);
  await using stream = await openEventStream(tocsin.url, key);
  const send = () =>
    fetch(`${tocsin.url}/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: telemetry,
    });

  const { sent, late, stopped } = await db.transaction().execute(async (tx) => {
    await sql`lock table signals in access exclusive mode`.execute(tx);
    const request = send();
    await vi.waitUntil(() => isAnyoneWaiting(tx), { timeout: HANG_MS });
    const exitCode = tocsin.stop('SIGTERM');
    const isStopping = async () => (await tocsin.readiness()).checks.some(({ detail }) => detail === 'stopping');
    await vi.waitUntil(isStopping, { timeout: HANG_MS });
    const refused = await send();
    return { sent: request, late: refused, stopped: exitCode };
  });
  const begun = await sent;

  expect(late.status).toBe(503);
  expect(late.headers.get('retry-after')).toBe('2');
  expect(begun.status).toBe(200);
  await stream.waitForEnd();
  expect(await stopped).toBe(0);
  const { rows } = await sql`select from signals`.execute(db);
  expect(rows).toHaveLength(1);
});

it('serves while it drains, until Ctrl-C ends the drain', async () => {
  await using database = await createTestDatabase();
  const key = createRawKey('read-write').rawKey;
  const env = { DATABASE_URL: database.url, BOOTSTRAP_API_KEY: key, DRAIN_SECONDS: '600' };
  await using tocsin = await startTocsin(env, ['service']);

  process.kill(tocsin.pid, 'SIGTERM');
  await expect.poll(async () => (await tocsin.readiness()).checks).toMatchObject([{ detail: 'stopping' }]);
  const served = await fetch(`${tocsin.url}/v1/incidents`, { headers: { authorization: `Bearer ${key}` } });

  expect(served.status).toBe(200);
  expect(await tocsin.stop('SIGINT')).toBe(0);
});

async function isAnyoneWaiting(db: Kysely<ServiceTables>): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks
    where not granted and database = (select oid from pg_database where datname = current_database())
  `.execute(db);
  return rows.length > 0;
}
