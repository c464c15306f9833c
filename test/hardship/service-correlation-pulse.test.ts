import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { MAIN_SYSTEM } from '../../src/contract/system.ts';
import { createRealClock } from '../../src/runtime/clock.ts';
import { appendEntries, appendTick, inTable } from '../../src/service/log/log-table.ts';
import { postgresLog } from '../../src/service/log/postgres-log.ts';
import { createPipeline } from '../../src/service/pipeline/pipeline.ts';
import { createProgress, createSharedMemory } from '../../src/service/pipeline/progress.ts';
import { beginPartition } from '../../src/service/store/log/correlation-lease.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { lockWriters } from '../../src/service/store/shared/signal-state.ts';
import { createTestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { silentLogger } from '../support/logger.ts';
import { startTestService } from '../support/test-service.ts';

it('tells when correlation stands still, and when it goes on', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const detail = async () =>
    (await tocsin.service.readiness()).find(({ name }) => name === 'correlation') ?? { ready: true, detail: null };
  const age = async () => {
    const metric = await tocsin.registry.getSingleMetric('tocsin_correlation_age_seconds')?.get();
    return metric?.values[0]?.value ?? Number.NaN;
  };
  await expect.poll(() => tocsin.service.problem()).toBeNull();
  const before = await detail();

  await sql`alter table correlation rename to away`.execute(db);
  await expect.poll(() => tocsin.service.problem()).toMatch(/cannot be read/);
  const during = await vi.waitFor(
    async () => {
      tocsin.advance(90_000); // again if a step that had ended before tells of it only now
      const problem = await tocsin.service.problem();
      const read = { problem, ...(await detail()), age: await age() };
      expect(read.age).toBeGreaterThan(60);
      return read;
    },
    { timeout: HANG_MS },
  );
  await sql`alter table away rename to correlation`.execute(db);

  expect(before).toEqual({ ready: true, detail: null });
  expect(during.problem).toMatch(/^correlation: correlation has failed for \d+ s, so signals open no incidents/);
  expect(during).toMatchObject({ ready: true, detail: expect.stringContaining('signals open no incidents') });
  await expect.poll(() => tocsin.service.problem(), { timeout: HANG_MS }).toBeNull();
  expect(await age()).toBeLessThan(60);
});

it('tells when correlation of one of several systems stands still, while the others go on', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await beginPartition(db, 'acme');
  // Nothing of the system can be stored, nor set aside.
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before update of position on correlation for each row when (old.partition = 'acme')
      execute function refuse()
  `.execute(db);
  await appendTick(db, 'acme', { at: tocsin.now().getTime(), closed: [] });
  const age = async () =>
    (await tocsin.registry.getSingleMetric('tocsin_correlation_age_seconds')?.get())?.values[0]?.value;

  await expect
    .poll(
      async () => {
        tocsin.advance(5_000);
        return age();
      },
      { timeout: HANG_MS },
    )
    .toBeGreaterThan(60);
  await tocsin.failIn(['payments']);
  const { root_service: root } = await tocsin.openIncident();
  const problem = await tocsin.service.problem();
  await sql`drop trigger refuse on correlation`.execute(db);

  expect(root).toBe('payments');
  expect(problem).toMatch(/^correlation: correlation has failed for \d+ s/);
  await expect
    .poll(
      () => {
        tocsin.advance(5_000);
        return tocsin.service.problem();
      },
      { timeout: HANG_MS },
    )
    .toBeNull();
});

it('stores a snapshot that was too large without what is usual, and trims the log', async () => {
  await using database = await createTestDatabase();
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const notes: string[] = [];
  let aheadMs = 0;
  const append = (at: number) =>
    db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      await appendEntries(tx, [inTable(MAIN_SYSTEM, { kind: 'telemetry', at, reports: [] })]);
    });
  const rows = async () => {
    const { rows: found } = await sql<{ waiting: number; saved: string }>`
      select (select count(*)::integer from telemetry_log) as waiting, snapshot_position as saved from correlation
    `.execute(db);
    return found[0];
  };
  await using pipeline = createPipeline({
    db,
    logger: silentLogger,
    clock: createRealClock(() => new Date(Date.now() + aheadMs)),
    log: postgresLog,
    process: 'test',
    isFirstStart: true,
    progress: createProgress(createSharedMemory()),
    events: {
      alive: () => undefined,
      stepped: () => undefined,
      setAside: (cause) => notes.push(cause),
      snapshotTaken: () => undefined,
    },
    maxSnapshotBytes: 1,
  });
  pipeline.start();
  await append(Date.now());
  aheadMs = 60_000;
  await append(Date.now() + aheadMs);
  pipeline.kick();

  await expect.poll(async () => Number((await rows())?.saved), { timeout: HANG_MS }).toBeGreaterThan(0);
  await expect.poll(async () => (await rows())?.waiting, { timeout: HANG_MS }).toBe(0);
  expect(notes).toContainEqual(expect.stringContaining('too large'));
});
