import { describe, expect, it } from 'vitest';
import { KEY_ACTORS } from '../../src/service/core/key-event.ts';
import type { SignalBatch } from '../../src/service/core/signal.ts';
import { createIntegrationStore } from '../../src/service/store/integrations/integration-store.ts';
import { createMonitorStore } from '../../src/service/store/integrations/monitor-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createLook } from '../../src/service/upkeep/watch-silence.ts';
import { borrowTestDatabase } from '../support/database.ts';
import { stopDatabaseClock } from '../support/database-clock.ts';

const timeout = 60_000;
const HOUR = 3_600_000;

/** Monitors in a real database, without a service: the test looks, and time passes as it says. */
async function startWatch() {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await borrowTestDatabase());
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const monitors = createMonitorStore(db);
  const integrations = createIntegrationStore(db);
  const reports: string[] = [];
  const accept = (batch: SignalBatch) => {
    reports.push(`${batch.signals.length > 0 ? 'late' : 'back'} ${batch.sender}`);
    return Promise.resolve();
  };
  let atMs = Date.now();
  const setClock = async (ms: number) => {
    atMs += ms;
    await stopDatabaseClock(database, SERVICE_SCHEMA, new Date(atMs));
  };
  await setClock(0);
  let monotonicMs = 0;
  let look = createLook({ monitors, accept }, () => monotonicMs);
  return {
    reports,
    monitors,
    look: () => look(),
    async createHeartbeat(intervalSeconds: number) {
      const config = { service: 'job', interval_seconds: intervalSeconds, grace_seconds: 10 };
      const { integration } = await integrations.create({ type: 'heartbeat', config }, new Date(), KEY_ACTORS.start);
      return integration.id;
    },
    /** Time passes, and the service looks. */
    async pass(seconds: number) {
      monotonicMs += seconds * 1_000;
      await setClock(seconds * 1_000);
      await look();
    },
    setClock,
    /** Another process goes on after a while. */
    async restart(seconds: number) {
      await setClock(seconds * 1_000);
      look = createLook({ monitors, accept }, () => monotonicMs);
      await look();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe('the watch for silence', () => {
  it('finds a hundred heartbeats late within 5 s of their grace, and none before', { timeout }, async () => {
    await using watch = await startWatch();
    const ids = await Promise.all(Array.from({ length: 100 }, () => watch.createHeartbeat(10)));
    await watch.look();
    await Promise.all(ids.map((id) => watch.monitors.hear(id)));

    for (let second = 0; second < 16; second += 2) {
      await watch.pass(2);
    }
    const early = [...watch.reports];
    await watch.pass(2);
    await watch.pass(2);
    await watch.pass(2);

    expect(early).toEqual([]);
    expect(watch.reports.toSorted()).toEqual(ids.map((id) => `late ${id}`).toSorted());
  });

  it('finds none late through a restart and steps of the clock by an hour, and all when they stop', {
    timeout,
  }, async () => {
    await using watch = await startWatch();
    const ids = await Promise.all(Array.from({ length: 100 }, (_, index) => watch.createHeartbeat(10 + (index % 5))));
    const beat = () => Promise.all(ids.map((id) => watch.monitors.hear(id)));
    await watch.look();
    await beat();

    await watch.pass(2);
    await watch.setClock(HOUR);
    await watch.pass(2);
    await beat();
    await watch.pass(2);
    await watch.setClock(-HOUR);
    await watch.pass(2);
    await watch.restart(60);
    await watch.pass(2);
    await beat();
    await watch.setClock(-HOUR);
    await watch.restart(5);
    const before = [...watch.reports];
    for (let second = 0; second < 32; second += 2) {
      await watch.pass(2);
    }

    expect(before).toEqual([]);
    expect(watch.reports).toHaveLength(100);
  });

  it('reports each silence and each return once, also when the clock is set back between them', {
    timeout,
  }, async () => {
    await using watch = await startWatch();
    const id = await watch.createHeartbeat(10);
    await watch.look();
    await watch.monitors.hear(id);
    const fallSilent = async () => {
      for (let second = 0; second < 24; second += 2) {
        await watch.pass(2);
      }
    };

    await fallSilent();
    await watch.setClock(-HOUR);
    await watch.pass(2);
    const stillLate = [...watch.reports];
    await watch.monitors.hear(id);
    await watch.pass(2);
    await fallSilent();

    expect(stillLate).toEqual([`late ${id}`]);
    expect(watch.reports).toEqual([`late ${id}`, `back ${id}`, `late ${id}`]);
  });

  it('never reports a heartbeat that was never heard', async () => {
    await using watch = await startWatch();
    await watch.createHeartbeat(10);
    await watch.look();

    await watch.pass(2);
    await watch.restart(HOUR / 1_000);

    expect(watch.reports).toEqual([]);
  });
});
