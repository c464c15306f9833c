import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { IncidentClosedError } from '../../src/service/core/errors.ts';
import { createRegrouping } from '../../src/service/store/incidents/regrouping.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { borrowTestDatabase, type TestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

it('lets one of twenty concurrent acknowledgements win, and returns to all callers whose it is', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: `user-${index}` } }),
    ),
  );

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const winners = await Promise.all(answers.map(async (answer) => Incident.parse(await answer.json()).acknowledged_by));
  expect(new Set(winners).size).toBe(1);
  expect((await tocsin.openIncident()).acknowledged_by).toBe(winners[0]);
});

it('lets one of many concurrent resolves with different notes win, and refuses the others', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: `note ${index}` } }),
    ),
  );

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
});

async function countOccurrences(tocsin: TestService): Promise<Record<string, number>> {
  const { signals, has_more } = SignalList.parse(await (await tocsin.call('GET', '/signals?limit=200')).json());
  expect(has_more).toBe(false);
  const counts: Record<string, number> = {};
  for (const { service, occurrences = 0 } of signals) {
    counts[service] = (counts[service] ?? 0) + occurrences;
  }
  return counts;
}

it('neither loses nor duplicates signals that two services over one database accept at once', async () => {
  await using one = await startTestService();
  await using other = await startTestService({ database: one.database });
  const services = ['payments', 'stock', 'search'];

  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      (index % 2 === 0 ? one : other).failIn([services[index % 3] ?? ''], {
        name: `GET /${'abcde'[index % 5]}`,
        times: 1,
      }),
    ),
  );
  other.advance(SETTLE_MS); // either of them may correlate
  await one.openIncident();

  expect(await countOccurrences(one)).toEqual({ payments: 20, stock: 20, search: 20 });
  const signals = SignalList.parse(await (await one.call('GET', '/signals?limit=200')).json());
  expect(signals.total).toBe(15); // three services with five operations each; equal signals fold
});

it('opens one incident for a failure that two services receive at once', async () => {
  await using one = await startTestService();
  await using other = await startTestService({ database: one.database });

  await Promise.all([one, other, one, other].map((tocsin) => tocsin.failIn(['payments'])));
  other.advance(SETTLE_MS);
  const incident = await one.openIncident();

  const list = IncidentList.parse(await (await other.call('GET', '/incidents')).json());
  expect(list.incidents.map(({ id }) => id)).toEqual([incident.id]);
  expect(incident.signals?.map(({ occurrences }) => occurrences)).toEqual([12]);
});

it('opens one incident per failure when two services correlate at once', async () => {
  await using one = await startTestService();
  await using other = await startTestService({ database: one.database });
  const services = ['payments', 'stock', 'search', 'orders', 'mail'];
  const failEverywhere = () =>
    Promise.all([one, other].flatMap((tocsin) => services.map((service) => tocsin.failIn([service]))));

  await failEverywhere();
  one.advance(SETTLE_MS);
  other.advance(SETTLE_MS);
  await failEverywhere();
  const listed = async () => IncidentList.parse(await (await other.call('GET', '/incidents')).json()).incidents;
  await vi.waitUntil(async () => (await listed()).length >= services.length, { timeout: HANG_MS });
  await vi.waitUntil(async () => (await countOccurrences(one)).mail === 12, { timeout: HANG_MS });

  const incidents = await listed();
  expect(incidents.map((incident) => incident.root_service).toSorted()).toEqual(services.toSorted());
  expect(incidents.map((incident) => incident.signal_count)).toEqual([1, 1, 1, 1, 1]);
  expect(await countOccurrences(one)).toEqual(Object.fromEntries(services.map((service) => [service, 12])));
});

it('keeps accepted signals after a restart', async () => {
  await using one = await startTestService();
  await using stack = new AsyncDisposableStack();
  const first = stack.use(await startTestService({ database: one.database }));
  const accepted = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => first.failIn(['payments'], { name: `GET /${index}`, times: 1 })),
  );
  const late = Promise.allSettled([first.failIn(['payments'], { name: 'GET /late', times: 1 })]);
  await stack.disposeAsync(); // while a request is in flight

  const refused = await first.call('POST', '/traces', { body: { resourceSpans: [] } });

  const kept = accepted.filter(({ status }) => status === 'fulfilled').length;
  const [{ status }] = await late;
  expect(kept).toBe(20);
  expect(refused.status).toBe(200); // it contained no signal
  expect(await countOccurrences(one)).toEqual({ payments: kept + (status === 'fulfilled' ? 1 : 0) });
});

it('merges into no incident that is closed while the merge waits for it', async () => {
  await using database = await borrowTestDatabase();
  const [gone = '', into = ''] = await declareTwo(database); // nothing correlates from here on
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const { merging } = await db.transaction().execute(async (tx) => {
    await sql`update incidents set closed_at = clock_now() where id = ${into}`.execute(tx);
    const merged = createRegrouping(db).merge(gone, into, { by: 'ana' }, new Date(), () => undefined);
    const waiting = sql`select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0`;
    await vi.waitUntil(async () => (await waiting.execute(db)).rows.length > 0, { timeout: HANG_MS });
    return { merging: merged };
  });

  await expect(merging).rejects.toThrow(IncidentClosedError);
});

async function declareTwo(database: TestDatabase): Promise<string[]> {
  await using tocsin = await startTestService({ database });
  const ids: string[] = [];
  for (const service of ['cart', 'disk']) {
    const answer = await tocsin.call('POST', '/incidents', { body: { title: 'down', service } });
    ids.push(Incident.parse(await answer.json()).id);
  }
  return ids;
}
