import type { Kysely } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countFailures } from '../../src/service/store/incidents/failure-counts.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const cleanup = new AsyncDisposableStack();
let tocsin: TestService;
let db: Kysely<ServiceTables>;

beforeAll(async () => {
  tocsin = cleanup.use(await startTestService());
  db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
}, 60_000);
afterAll(() => cleanup.disposeAsync());

/** An incident of which nothing is counted yet, with a way to count and to read the minutes. */
async function newIncident(service: string) {
  await tocsin.failIn([service]);
  const { id } = await tocsin.openIncident();
  await db.deleteFrom('incident_failures').where('incident_id', '=', id).execute();
  await db.updateTable('incidents').set({ failures: '0' }).where('id', '=', id).execute();
  return {
    count: (minute: number, total: number, inEarlierUnit: number | null = null) =>
      db
        .transaction()
        .execute((tx) =>
          countFailures(
            tx,
            [{ id, total, inEarlierUnit, isRegrouped: false }],
            new Date(Date.UTC(2026, 10, 24, 10, minute, 30)),
          ),
        ),
    async minutes() {
      const rows = await db.selectFrom('incident_failures').selectAll().where('incident_id', '=', id).execute();
      return rows
        .map(({ minute, failures }) => [minute.getUTCMinutes(), Number(failures)] as const)
        .toSorted(([one], [other]) => one - other);
    },
  };
}

it('counts in each minute what was seen since the last time', async () => {
  const incident = await newIncident('steady');

  await incident.count(1, 30);
  await incident.count(2, 50);
  await incident.count(2, 55);
  await incident.count(3, 55);

  expect(await incident.minutes()).toEqual([
    [1, 30],
    [2, 25],
  ]);
});

it('keeps the shape of the chart when the unit changes from signals to requests, and continues', async () => {
  const incident = await newIncident('switched');

  await incident.count(1, 600);
  await incident.count(2, 900);
  await incident.count(3, 101, 1_010);
  const switched = await incident.minutes();
  await incident.count(4, 110);
  const later = await incident.minutes();

  expect(switched).toEqual([
    [1, 60],
    [2, 30],
    [3, 11],
  ]);
  expect(later).toEqual([...switched, [4, 9]]);
});

it('draws no spike when requests become signals, or when an incident has lost some to another', async () => {
  const incident = await newIncident('back');

  await incident.count(1, 10);
  await incident.count(2, 20);
  await incident.count(3, 4_400, 22);
  const grown = await incident.minutes();
  await incident.count(4, 11);

  expect(grown).toEqual([
    [1, 2_000],
    [2, 2_000],
    [3, 400],
  ]);
  expect(await incident.minutes()).toEqual([
    [1, 5],
    [2, 5],
    [3, 1],
  ]);
});

it('counts what is known from the start in the new unit alone', async () => {
  const incident = await newIncident('first');

  await incident.count(1, 40, 200);

  expect(await incident.minutes()).toEqual([[1, 40]]);
});
