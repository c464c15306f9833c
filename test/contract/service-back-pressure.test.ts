import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { SignalList } from '../../src/contract/resources.ts';
import { MAX_QUEUED_ITEMS } from '../../src/service/intake/intake.ts';
import { serviceMigrations } from '../../src/service/store/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/tables.ts';
import { startTestService } from '../support/test-service.ts';

const MORE_THAN_HALF = MAX_QUEUED_ITEMS / 4 + 1; // each line is a signal and an item;

it('refuses with Retry-After what it cannot queue, and stores what it has accepted', {
  timeout: 90_000,
}, async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const send = (service: string, count: number) => tocsin.call('POST', '/logs', { body: errorLogs(service, count) });

  const { first, answers } = await db.transaction().execute(async (tx) => {
    await sql`lock table signals in access exclusive mode`.execute(tx);
    const running = send('running', 1);
    const isHeldUp = async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `.execute(tx);
      return rows.length > 0;
    };
    await vi.waitUntil(isHeldUp, { timeout: 10_000 });
    const together = [send('one', MORE_THAN_HALF), send('other', MORE_THAN_HALF)];
    return { first: await Promise.race(together), answers: [running, ...together] };
  });

  expect(first.status).toBe(503);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 503]);
  const counts = ['running', 'one', 'other'].map(async (service) => {
    const response = await tocsin.call('GET', `/signals?limit=1&service=${service}`);
    return SignalList.parse(await response.json()).total;
  });
  expect(await Promise.all(counts)).toEqual(
    statuses.map((status, index) => (status === 200 ? [1, MORE_THAN_HALF, MORE_THAN_HALF][index] : 0)),
  );
});

/** An OTLP/JSON request with different errors. */
function errorLogs(service: string, count: number) {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] };
  const logRecords = Array.from({ length: count }, (_, index) => ({
    timeUnixNano: `${Date.now()}000000`,
    severityNumber: 17,
    body: {
      stringValue: `parcel ${String(index).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))} is lost`,
    },
  }));
  return { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] };
}
