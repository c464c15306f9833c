import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { MAIN_SYSTEM } from '../../src/contract/system.ts';
import { createRealClock } from '../../src/runtime/clock.ts';
import type { SpanItem } from '../../src/service/core/telemetry-item.ts';
import { measureCorrelation } from '../../src/service/correlation-metrics.ts';
import type { Report } from '../../src/service/log/log-entry.ts';
import { appendEntries, inTable } from '../../src/service/log/log-table.ts';
import { superviseThread, type ThreadLimits } from '../../src/service/pipeline/supervisor.ts';
import { listSetAside, noteLostUpdate } from '../../src/service/store/log/set-aside.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { lockWriters } from '../../src/service/store/shared/signal-state.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { silentLogger } from '../support/logger.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

async function openTables(database: TestDatabase) {
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  return {
    db,
    append: (reports: readonly Report[]) =>
      db.transaction().execute(async (tx) => {
        await lockWriters(tx);
        await appendEntries(tx, [inTable(MAIN_SYSTEM, { kind: 'telemetry', at: Date.now(), reports })]);
      }),
    isAllRead: async () => {
      const { rows } = await sql<{ done: boolean }>`
        select position >= (select coalesce(max(sequence), 0) from telemetry_log) and position > 0 as done
        from correlation
      `.execute(db);
      return rows[0]?.done === true;
    },
    listSetAside: () => db.selectFrom('set_aside').select(['kind', 'cause', 'report']).orderBy('id').execute(),
  };
}

async function listRoots(tocsin: TestService): Promise<readonly string[]> {
  const answer = await tocsin.call('GET', '/incidents?limit=200');
  return IncidentList.parse(await answer.json()).incidents.map(({ root_service: root }) => root);
}

/** Runs the thread of correlation alone. */
function startThread(database: TestDatabase, db: Awaited<ReturnType<typeof openTables>>['db'], limits: ThreadLimits) {
  const registry = new Registry();
  const thread = superviseThread({
    db,
    source: database.source,
    logger: silentLogger,
    clock: createRealClock(),
    process: 'test',
    events: measureCorrelation(registry, () => undefined),
    limits,
  });
  thread.start();
  return { thread, count: async (name: string) => (await registry.getSingleMetric(name)?.get())?.values[0]?.value };
}

function spans(count: number): SpanItem[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'span',
    service: `service-${index % 50}`,
    at: Date.now(),
    durationMs: index % 100,
    operation: `operation ${index % 5_000}`,
    traceId: `trace ${index % 1_000}`,
    spanId: `span ${index}`,
    parentSpanId: index % 2 === 0 ? null : `span ${index - 1}`,
    role: 'server',
    isFailed: false,
    peer: null,
  }));
}

const ROOMY = { budgetMs: 60_000, heapMb: 1_024, watchMs: 250 };

it.each(['own thread', 'this thread'] as const)(
  'leaves out an entry that cannot be read, and forgets nothing (in %s)',
  async (correlateIn) => {
    await using database = await createTestDatabase();
    const { db, listSetAside } = await openTables(database);
    await using tocsin = await startTestService({ database, correlateIn });
    await tocsin.failIn(['payments']);
    const before = await tocsin.openIncident();

    await db
      .insertInto('telemetry_log')
      .values({ entry: Buffer.from('{broken') })
      .execute();
    await tocsin.failIn(['payments'], { name: 'GET /other' });
    await tocsin.failIn(['search']);
    tocsin.advance(SETTLE_MS);
    await expect.poll(() => listRoots(tocsin), { timeout: HANG_MS }).toEqual(['search', 'payments']);

    expect(await listSetAside()).toMatchObject([{ kind: 'entries', cause: expect.stringContaining('format 123') }]);
    expect(before.root_service).toBe('payments');
    const checks = await tocsin.service.readiness();
    expect(checks.at(-1)).toMatchObject({ name: 'correlation', ready: true, detail: expect.stringContaining('once') });
    expect(await tocsin.registry.getSingleMetricAsString('tocsin_correlation_set_aside_total')).toMatch(/ 1$/m);
  },
);

it('leaves the entry out in every process that replays it', async () => {
  await using database = await createTestDatabase();
  const { db, listSetAside } = await openTables(database);
  const first = await startTestService({ database });
  await db
    .insertInto('telemetry_log')
    .values({ entry: Buffer.from('{broken') })
    .execute();
  await vi.waitUntil(async () => (await listSetAside()).length > 0, { timeout: HANG_MS });
  await first[Symbol.asyncDispose]();

  await using second = await startTestService({ database });
  await second.failIn(['payments']);
  await second.openIncident();

  expect(await listSetAside()).toHaveLength(1);
});

it('leaves no entry out because an incident could not be stored', async () => {
  await using database = await createTestDatabase();
  const { db, listSetAside: listNotes } = await openTables(database);

  await db.transaction().execute((tx) => noteLostUpdate(tx, MAIN_SYSTEM, 7n, 'refused'));

  expect(await listNotes()).toMatchObject([{ kind: 'incident' }]);
  expect(await listSetAside(db, MAIN_SYSTEM, 0n)).toEqual([]);
});

it('ends the thread that takes too long for a report, leaves the report out and continues', async () => {
  await using database = await createTestDatabase();
  const { db, append, isAllRead, listSetAside } = await openTables(database);
  await append([{ sender: 'hostile', items: spans(60_000) }]);
  await append([{ sender: 'honest', items: spans(10) }]);

  const { thread, count } = startThread(database, db, { ...ROOMY, budgetMs: 5, watchMs: 2 });
  await using _ = thread;
  await vi.waitUntil(isAllRead, { timeout: HANG_MS });

  const [first] = await listSetAside();
  expect(first).toMatchObject({ cause: 'it took more than 0.005 s of processor time' });
  expect(await count('tocsin_correlation_restarts_total')).toBeGreaterThan(0);
});

it('leaves nothing out for a thread that ends before it gets to anything', async () => {
  await using database = await createTestDatabase();
  const { db, append, listSetAside: listNotes } = await openTables(database);
  await append([{ sender: 'honest', items: spans(10) }]);
  await db.updateTable('correlation').set({ leader: 'test' }).execute();

  const { thread, count } = startThread(database, db, { ...ROOMY, heapMb: 4 });
  await using _ = thread;
  await vi.waitUntil(async () => ((await count('tocsin_correlation_restarts_total')) ?? 0) > 4, { timeout: HANG_MS });

  expect(await listNotes()).toEqual([]);
});

it('survives a report that needs more memory than the thread may have', async () => {
  await using database = await createTestDatabase();
  const { db, append, isAllRead, listSetAside } = await openTables(database);
  await append([{ sender: 'hostile', items: spans(300_000) }]);

  const { thread } = startThread(database, db, { ...ROOMY, heapMb: 72 });
  await using _ = thread;
  await vi.waitUntil(isAllRead, { timeout: HANG_MS });

  const [first] = await listSetAside();
  expect(first?.cause).toContain('out of memory');
});

it('holds no lock that writers wait for while the engine works', async () => {
  await using database = await createTestDatabase();
  const { db, append, isAllRead } = await openTables(database);
  const { thread, count } = startThread(database, db, ROOMY);
  await using _ = thread;
  await append([{ sender: 'key', items: spans(60_000) }]);
  thread.kick();
  const isBusy = async () => {
    const { rows } = await sql<{ leader: string | null }>`select leader from correlation`.execute(db);
    return rows[0]?.leader === 'test';
  };
  await vi.waitUntil(isBusy, { timeout: HANG_MS, interval: 5 });

  for (let times = 0; times < 5; times += 1) {
    await append([{ sender: 'key', items: spans(1) }]);
  }

  expect(await count('tocsin_correlation_items_total')).toBe(0); // the first report is still being judged
  await vi.waitUntil(isAllRead, { timeout: HANG_MS });
});
