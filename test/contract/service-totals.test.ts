import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { createIncidentStore } from '../../src/service/store/incidents/incident-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** As many as there are connections: none waits for another one's turn. */
const AT_ONCE = 10;

async function totalsOf(tocsin: TestService): Promise<Record<string, number | undefined>> {
  const queries = ['', 'status=open', 'status=closed', 'acknowledged=true', 'severity=error', 'service=stock'];
  const totals = queries.map(async (query) => {
    const answer = await tocsin.call('GET', `/incidents?limit=1&${query}`);
    return [query, IncidentList.parse(await answer.json()).total] as const;
  });
  return Object.fromEntries(await Promise.all(totals));
}

it('counts each incident once, by its current state', async () => {
  await using tocsin = await startTestService();
  expect(new Set(Object.values(await totalsOf(tocsin)))).toEqual(new Set([0]));

  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  const opened = { '': 1, 'status=open': 1, 'severity=error': 1 };
  expect(await totalsOf(tocsin)).toMatchObject({ ...opened, 'status=closed': 0, 'acknowledged=true': 0 });

  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ben' } });
  expect(await totalsOf(tocsin)).toMatchObject({ ...opened, 'acknowledged=true': 1 });

  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'restarted' } });
  const closed = { '': 1, 'status=open': 0, 'status=closed': 1, 'acknowledged=true': 1, 'severity=error': 1 };
  expect(await totalsOf(tocsin)).toEqual({ ...closed, 'service=stock': 0 });
});

it('counts correctly when many incidents change at once', async () => {
  await using database = await createEmptyDatabase();
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await sql`
    insert into incidents (id, title, severity, root_service, services, signal_counts, correlation,
      opened_at, last_signal_at, updated_at)
    select 'inc_' || lpad(n::text, 26, '0'), 'GET / fails', 'error', 'a', array['a', 'a', 'b'], '{}', '{}', now(), now(), now()
    from generate_series(1, 40) as n
  `.execute(db);
  const incidents = createIncidentStore(db);
  const now = new Date();

  const change = (index: number) =>
    incidents.update(String(index + 1), (incident) => ({
      ...incident,
      acknowledgement: index % 2 === 0 ? { by: 'ana', at: now } : null,
      closing: index % 4 === 0 ? { note: 'done', by: null, at: now } : null,
    }));
  for (let first = 0; first < 40; first += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => change(first + index)));
  }
  await sql`delete from incidents where number = 1`.execute(db);
  await sql`update incidents set services = '{c}', severity = 'critical' where number in (2, 3)`.execute(db);

  const total = async (filter: Parameters<typeof incidents.list>[0]) =>
    (await incidents.list(filter, { limit: 1, offset: 0 })).total;
  expect(await total({})).toBe(39);
  expect(await total({ status: 'closed' })).toBe(9);
  expect(await total({ acknowledged: true, status: 'open' })).toBe(10);
  expect(await total({ service: 'a' })).toBe(37);
  expect(await total({ service: 'c', severity: 'critical' })).toBe(2);
  expect(await total({ service: 'c', severity: 'critical', acknowledged: true })).toBe(1);
});
