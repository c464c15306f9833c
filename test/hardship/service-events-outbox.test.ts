import { type Kysely, sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { acknowledge } from '../../src/service/core/incident-changes.ts';
import type { StreamEvent } from '../../src/service/core/sign-in-request.ts';
import { appendEvents, createEventStore, type EventStore } from '../../src/service/store/events/event-store.ts';
import { createIncidentStore } from '../../src/service/store/incidents/incident-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

function openTables({ database }: TestService): Promise<Kysely<ServiceTables>> {
  return database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
}

/** Reads events like a stream, until it has `count` of them. */
async function follow(events: EventStore, count: number): Promise<StreamEvent[]> {
  const read: StreamEvent[] = [];
  await vi.waitUntil(
    async () => {
      read.push(...(await events.listAfter(read.at(-1)?.sequence ?? 0n, 3)));
      return read.length >= count;
    },
    { timeout: HANG_MS, interval: 1 },
  );
  return read;
}

it('records every change of an incident in order', async () => {
  await using tocsin = await startTestService();
  const events = createEventStore(await openTables(tocsin));
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ben' } }); // changes nothing
  await tocsin.failIn(['payments'], { name: 'GET /other' });
  tocsin.advance(SETTLE_MS);
  const types = async () => (await events.listAfter(0n, 100)).map(({ type }) => type);
  await vi.waitUntil(async () => (await types()).includes('incident.updated'), { timeout: HANG_MS });
  await tocsin.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'rolled back' } });

  const all = await events.listAfter(0n, 100);

  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => BigInt(index + 1)));
  expect([...new Set(all.map(({ type }) => type))].toSorted()).toEqual([
    'incident.acknowledged',
    'incident.closed',
    'incident.opened',
    'incident.updated',
  ]);
  expect(all.filter(({ type }) => type === 'incident.acknowledged')).toHaveLength(1);
  expect(all[0]).toMatchObject({ type: 'incident.opened', incident: { id, acknowledgement: null, closing: null } });
  expect(all.at(-1)).toMatchObject({
    type: 'incident.closed',
    incident: { acknowledgement: { by: 'ana', at: expect.any(Date) }, closing: { note: 'rolled back' } },
  });
});

it('never shows a reader an event before one with a lower number', async () => {
  await using tocsin = await startTestService();
  const db = await openTables(tocsin);
  const [events, incidents] = [createEventStore(db), createIncidentStore(db)];
  await tocsin.failIn(['payments']);
  const incident = await incidents.get((await tocsin.openIncident()).id);
  const { last: before } = await events.findBounds();
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = db.transaction().execute(async (tx) => {
    await appendEvents(tx, [{ type: 'incident.updated', incident }], new Date());
    held.resolve();
    await release.promise;
  });
  await held.promise;

  const second = incidents.update(incident.id, (found) => acknowledge(found, { by: 'ana' }, new Date()));
  await Promise.race([second, vi.waitUntil(() => isAnyoneWaiting(db), { timeout: HANG_MS })]);
  const early = await events.listAfter(before, 10);
  release.resolve();
  await Promise.all([first, second]);
  const late = await events.listAfter(early.at(-1)?.sequence ?? before, 10);

  expect([...early, ...late].map(({ type }) => type)).toEqual(['incident.updated', 'incident.acknowledged']);
});

async function isAnyoneWaiting(db: Kysely<ServiceTables>): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  `.execute(db);
  return rows.length > 0;
}

it('shows a reader all events while people and telemetry change incidents in two processes', async () => {
  await using one = await startTestService();
  await using other = await startTestService({ database: one.database });
  const events = createEventStore(await openTables(one));
  await one.failIn(['payments']);
  const { id } = await one.openIncident();
  other.advance(5_000);
  const before = (await events.findBounds()).last;
  const people = Array.from({ length: 10 }, (_, index) =>
    (index % 2 === 0 ? one : other).call('POST', `/incidents/${id}/acknowledge`, { body: { user: `user-${index}` } }),
  );
  const reading = follow(events, Number(before) + 2);
  const telemetry = Array.from({ length: 20 }, (_, index) =>
    (index % 2 === 0 ? one : other).failIn(['payments'], { name: `GET /${index}` }),
  );
  await Promise.all([...people, ...telemetry]);
  await one.call('POST', `/incidents/${id}/resolve`, { body: { resolution_note: 'done' } });

  const read = await reading;
  const rest = await events.listAfter(read.at(-1)?.sequence ?? 0n, 1_000);

  const sequences = [...read, ...rest].map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, index) => BigInt(index + 1)));
  expect([...read, ...rest].filter(({ type }) => type === 'incident.closed')).toHaveLength(1);
});

it('keeps events for seven days and reports from where readers can continue', async () => {
  await using tocsin = await startTestService();
  const events = createEventStore(await openTables(tocsin));
  await tocsin.failIn(['payments']);
  const { id } = await tocsin.openIncident();
  await tocsin.call('POST', `/incidents/${id}/acknowledge`, { body: { user: 'ana' } });
  const { oldest, last } = await events.findBounds();
  const day = 24 * 3_600_000;

  await events.prune(new Date(Date.now() + 6 * day));
  const kept = await events.findBounds();
  await events.prune(new Date(Date.now() + 8 * day));
  const pruned = await events.findBounds();

  expect(oldest).toBe(0n);
  expect(kept).toEqual({ oldest, last });
  expect(pruned).toEqual({ oldest: last, last });
});
