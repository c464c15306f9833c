import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { SignalList } from '../../src/contract/lists.ts';
import { MAX_QUEUED_ITEMS } from '../../src/service/intake/intake.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService } from '../support/test-service.ts';

const MORE_THAN_HALF = MAX_QUEUED_ITEMS / 4 + 1; // each line is a signal and an item;

it('refuses with Retry-After what it cannot queue, and stores what it has accepted', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const send = (service: string, count: number) => tocsin.call('POST', '/logs', { body: errorLogs(service, count) });

  const { first, answers } = await db.transaction().execute(async (tx) => {
    await sql`lock table signals in access exclusive mode`.execute(tx);
    const running = send('running', 1);
    const isHeldUp = async () => {
      await sql`select pg_stat_clear_snapshot()`.execute(tx); // a transaction sees the first one otherwise
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `.execute(tx);
      return rows.length > 0;
    };
    await vi.waitUntil(isHeldUp, { timeout: HANG_MS });
    const together = [send('one', MORE_THAN_HALF), send('other', MORE_THAN_HALF)];
    return { first: await Promise.race(together), answers: [running, ...together] };
  });

  expect(first.status).toBe(503);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 503]);
  // Correlation may have stored a finding of its own by now.
  const { rows } = await sql<{ service: string; signals: string }>`
    select service, count(*) as signals from signals where source ->> 'format' = 'otlp' group by service`.execute(db);
  const stored = Object.fromEntries(rows.map(({ service, signals }) => [service, Number(signals)]));
  expect(stored).toEqual({
    running: 1,
    ...(statuses[1] === 200 ? { one: MORE_THAN_HALF } : { other: MORE_THAN_HALF }),
  });
  const list = SignalList.parse(await (await tocsin.call('GET', '/signals?limit=1')).json());
  expect(list).toMatchObject({ total: 10_000, total_is_lower_bound: true, has_more: true });
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
