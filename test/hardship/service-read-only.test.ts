import { Client } from 'pg';
import { expect, it } from 'vitest';
import { alertNotification } from '../support/alert-notification.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createLogLines } from '../support/log-lines.ts';
import { shared } from '../support/shared.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Like an old primary after a failover: sessions end, and new ones accept no writes. */
async function setReadOnly(database: TestDatabase, isReadOnly: boolean): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  const client = new Client({ connectionString: (await shared('database')).url });
  await client.connect();
  await client.query(`alter database ${name} set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  if (isReadOnly) {
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [name]);
  }
  await client.end();
}

function sendAlert(tocsin: TestService, name: string): Promise<Response> {
  return tocsin.call('POST', '/alertmanager', { body: alertNotification(new Date(), null, { alertname: name }) });
}

it('refuses for now while the database is read-only, and recovers by itself afterwards', async () => {
  const { logger, lines } = createLogLines();
  await using database = await createTestDatabase();
  await using tocsin = await startTestService({ database, logger });
  await tocsin.failIn(['payments']);
  await tocsin.openIncident();

  await setReadOnly(database, true);
  await expect.poll(() => isReady(tocsin)).toBe(false);
  const refused = await Promise.all(NAMES.map((name) => sendAlert(tocsin, name)));
  const problem: unknown = await refused[0]?.json();
  const checks = await tocsin.service.readiness();
  await setReadOnly(database, false);
  await expect.poll(() => isReady(tocsin)).toBe(true);
  const accepted = await Promise.all(NAMES.map((name) => sendAlert(tocsin, name)));

  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
  expect(refused.every(({ headers }) => headers.has('retry-after'))).toBe(true);
  expect(problem).toMatchObject({ detail: expect.stringContaining('the database') });
  expect(checks).toEqual([
    { name: 'database', ready: false, detail: expect.stringMatching(/^PostgreSQL \(.*\) is read-only$/) },
  ]);
  expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([200]));
  expect(lines.filter((line) => line.includes('starts over'))).toEqual([]);
});

async function isReady(tocsin: TestService): Promise<boolean> {
  tocsin.advance(1_000); // a result is reused for a second
  return (await tocsin.service.readiness()).every(({ ready }) => ready);
}

it('says what is wrong with the database to those whose request it fails', async () => {
  await using database = await createTestDatabase();
  await using tocsin = await startTestService({ database });
  await setReadOnly(database, true);
  await expect.poll(() => isReady(tocsin)).toBe(false);

  const response = await sendAlert(tocsin, 'disk');

  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    detail: expect.stringContaining('the database cannot be used now: it is read-only'),
  });
});
