import { expect, it } from 'vitest';
import { createLeases } from '../../src/service/pipeline/leases.ts';
import { beginPartition, LEASE_MS } from '../../src/service/store/log/correlation-lease.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createTestDatabase } from '../support/database.ts';
import { stopDatabaseClock } from '../support/database-clock.ts';

const START = Date.parse('2026-01-31T08:00:00Z');

/** Processes that share the default system and four more. The clock of leases stands still. */
async function startProcesses() {
  const database = await createTestDatabase();
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  for (const system of ['acme', 'globex', 'initech', 'umbrella']) {
    await beginPartition(db, system);
  }
  const stopClock = (at: number) => stopDatabaseClock(database, SERVICE_SCHEMA, new Date(at));
  await stopClock(START);
  const start = (process: string) => {
    const leases = createLeases({ db, process, isFirstStart: true });
    return { ...leases, held: async () => (await leases.hold()).map(({ partition }) => partition) };
  };
  return { stopClock, start, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

const ALL = ['acme', 'globex', 'initech', 'main', 'umbrella'];

it('gives a process that starts its share at once, and each system one process', async () => {
  await using processes = await startProcesses();
  const [one, other] = [processes.start('one'), processes.start('other')];

  const alone = await one.held();
  const taken = await other.held();
  const left = await one.held();

  expect(alone).toEqual(ALL);
  expect(taken).toHaveLength(3);
  expect([...taken, ...left].toSorted()).toEqual(ALL);
});

it('takes over what a dead process had once its leases have expired, and gives a share back when it returns', async () => {
  await using processes = await startProcesses();
  const [one, other] = [processes.start('one'), processes.start('other')];
  await one.held();
  await other.held();
  await one.held();

  const before = await other.held();
  await processes.stopClock(START + LEASE_MS + 1);
  const after = await other.held();
  const returned = [await one.held(), await other.held(), await one.held()];

  expect(before).toHaveLength(3);
  expect(after).toEqual(ALL);
  expect(returned.map(({ length }) => length)).toEqual([0, 3, 2]);
  expect([...(returned[1] ?? []), ...(returned[2] ?? [])].toSorted()).toEqual(ALL);
});

it('leaves all to the others when it stops', async () => {
  await using processes = await startProcesses();
  const [one, other] = [processes.start('one'), processes.start('other')];
  await one.held();
  await other.held();

  await one.release();

  expect(await other.held()).toEqual(ALL);
});
