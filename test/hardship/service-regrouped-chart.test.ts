import type { Kysely } from 'kysely';
import { beforeEach, expect, it, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;
let db: Kysely<ServiceTables>;

beforeEach(async () => {
  tocsin = await startTestService();
  db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  return () => tocsin[Symbol.asyncDispose]();
});

async function alert(service: string, times = 1): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    const body = { service, summary: `${service} fails`, dedup_key: `${service} ${crypto.randomUUID()}` };
    expect((await tocsin.call('POST', '/generic', { body })).status).toBe(200);
  }
}

async function incidentOf(service: string): Promise<Incident> {
  const id = await vi.waitUntil(
    async () => {
      const { incidents } = IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json());
      return incidents.find(({ root_service: root }) => root === service)?.id;
    },
    { timeout: HANG_MS },
  );
  return get(id);
}

async function get(id: string): Promise<Incident> {
  return Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
}

async function regroup(id: string, how: 'merge' | 'split', body: object = {}): Promise<void> {
  const answer = await tocsin.call('POST', `/incidents/${id}/${how}`, { body: { user: 'ana', ...body } });
  expect(answer.status).toBe(200);
}

/** Failures of an incident by minute, counted from the first one of all. */
async function chartOf({ id }: Incident): Promise<Record<number, number>> {
  const rows = await db.selectFrom('incident_failures').selectAll().execute();
  const first = Math.min(...rows.map(({ minute }) => minute.getTime()));
  return Object.fromEntries(
    rows
      .filter(({ incident_id: of, failures }) => of === id && Number(failures) > 0)
      .map(({ minute, failures }) => [(minute.getTime() - first) / 60_000, Number(failures)]),
  );
}

/** Signals of an incident by service and minute, counted from the first one of all: `disk 0`. */
async function servicesOf({ id }: Incident): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('incident_service_failures')
    .selectAll()
    .orderBy('service')
    .orderBy('minute')
    .execute();
  const first = Math.min(...rows.map(({ minute }) => minute.getTime()));
  const own = rows.filter(({ incident_id: of, signals }) => of === id && Number(signals) > 0);
  // What happens at the end of a minute may be counted in the next one.
  const decadeOf = (minute: Date) => Math.floor(((minute.getTime() - first) / 60_000 + 1) / 10) * 10;
  const sums = Map.groupBy(own, ({ service, minute }) => `${service} ${decadeOf(minute)}`);
  return Object.fromEntries(
    [...sums].map(([key, group]) => [key, group.reduce((sum, { signals }) => sum + Number(signals), 0)]),
  );
}

/** Failures in the minutes of [from, to). */
function sumOf(chart: Record<number, number>, from = 0, to = Number.POSITIVE_INFINITY): number {
  const within = Object.entries(chart).filter(([minute]) => Number(minute) >= from && Number(minute) < to);
  return within.reduce((sum, [, count]) => sum + count, 0);
}

async function waitForSum(incident: Incident, total: number): Promise<void> {
  await vi.waitFor(async () => expect(sumOf(await chartOf(incident))).toBe(total), { timeout: HANG_MS });
}

/** `disk` fails four times, `cart` ten minutes later six times, then `cart` becomes part of `disk`, which fails once more. */
async function mergeWithHistory() {
  await alert('disk', 4);
  const disk = await incidentOf('disk');
  await waitForSum(disk, 4);
  tocsin.advance(10 * 60_000);
  // What arrives before correlation has the new time may be judged by the old one, as if it were ten minutes old.
  await vi.waitUntil(async () => (await get(disk.id)).activity !== 'failing', { timeout: HANG_MS });
  await alert('cart', 6);
  const cart = await incidentOf('cart');
  await waitForSum(cart, 6);
  await regroup(cart.id, 'merge', { into: disk.id });
  await alert('disk'); // correlation has followed the decision when this is counted
  await waitForSum(disk, 11);
  return { disk, cart };
}

it('a merge draws no spike: failures stay in the minutes in which they happened', async () => {
  const { disk, cart } = await mergeWithHistory();

  const chart = await chartOf(disk);
  expect([sumOf(chart, 0, 9), sumOf(chart, 9)]).toEqual([4, 7]);
  expect(await chartOf(cart)).toEqual({});
  expect(await servicesOf(disk)).toEqual({ 'cart 10': 6, 'disk 0': 4, 'disk 10': 1 });
  expect(await servicesOf(cart)).toEqual({});
});

it('a split draws no spike: each incident keeps its failures in the minutes in which they happened', async () => {
  const { disk, cart } = await mergeWithHistory();
  tocsin.advance(10 * 60_000);
  await regroup(cart.id, 'split');
  await waitForSum(cart, 6);
  await waitForSum(disk, 5);

  const [ofCart, ofDisk] = [await chartOf(cart), await chartOf(disk)];
  expect([sumOf(ofCart, 0, 9), sumOf(ofCart, 9, 19), sumOf(ofCart, 19)]).toEqual([0, 6, 0]);
  expect([sumOf(ofDisk, 0, 9), sumOf(ofDisk, 9, 19), sumOf(ofDisk, 19)]).toEqual([4, 1, 0]);
  expect(await servicesOf(cart)).toEqual({ 'cart 10': 6 });
  expect(await servicesOf(disk)).toEqual({ 'disk 0': 4, 'disk 10': 1 });
});
