import { memoryUsage, threadCpuUsage } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { openDatabase } from '../../src/database/database.ts';
import { createRealClock } from '../../src/runtime/clock.ts';
import { appendEntries, inTable } from '../../src/service/log/log-table.ts';
import { postgresLog } from '../../src/service/log/postgres-log.ts';
import { createPipeline } from '../../src/service/pipeline/pipeline.ts';
import { createProgress, createSharedMemory } from '../../src/service/pipeline/progress.ts';
import { beginPartition } from '../../src/service/store/log/correlation-lease.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { lockWriters } from '../../src/service/store/shared/signal-state.ts';
import { simulateShop } from '../../test/support/simulated-shop.ts';
import { type Finding, thousands } from '../numbers.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';

/** Spans of one request of the shop: about a thousand a second. */
const REQUEST_EVERY_MS = 13;
const START = Date.parse('2026-01-01T00:00:00Z');
const MEGABYTE = 2 ** 20;
const LOOK_MS = 20;

interface Rehearsal {
  readonly rows: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly heapMegabytes: number;
  /** Leases that were expired when a second of telemetry was correlated, of all that there were. */
  readonly lapsed: number;
  readonly snapshotMegabytes: number;
}

/**
 * Rehearses many systems in one process: each sends as much in each second of a clock that goes on once all of it is
 * correlated. The baseline is one system that sends as much as each.
 */
export async function measureSystems(
  cluster: ScratchCluster,
  { systems, seconds }: { readonly systems: number; readonly seconds: number },
): Promise<Finding[]> {
  await rehearse(await cluster.createDatabase('systems_warm'), 1, seconds); // the compiler has its work behind it then
  const alone = await rehearse(await cluster.createDatabase('systems_1'), 1, seconds);
  const many = await rehearse(await cluster.createDatabase('systems_many'), systems, seconds);
  const microseconds = ({ cpuSeconds, rows }: Rehearsal) => (1e6 * cpuSeconds) / rows;
  const perSystem = (many.heapMegabytes - alone.heapMegabytes) / (systems - 1);
  return [
    {
      what: `${systems} systems of ${thousands(alone.rows / seconds)} rows/s: processor time a row`,
      measured: `${microseconds(many).toFixed(1)} µs`,
      baseline: `${microseconds(alone).toFixed(1)} µs with one`,
      ratio: (microseconds(many) / microseconds(alone)).toFixed(2),
      goal: null,
    },
    {
      what: 'a second of telemetry of all takes one process',
      measured: `${(many.wallSeconds / seconds).toFixed(2)} s`,
      baseline: `${(many.cpuSeconds / seconds).toFixed(2)} s of its core`,
      ratio: '',
      goal: null,
    },
    {
      what: 'heap, and each further system',
      measured: `${thousands(many.heapMegabytes)} MB, ${perSystem.toFixed(1)} MB`,
      baseline: `${thousands(alone.heapMegabytes)} MB with one`,
      ratio: '',
      goal: { text: 'under 1,024 MB', isMet: many.heapMegabytes < 1_024 },
    },
    {
      what: 'snapshots of all, compressed',
      measured: `${many.snapshotMegabytes.toFixed(1)} MB`,
      baseline: `${alone.snapshotMegabytes.toFixed(2)} MB of one`,
      ratio: '',
      goal: null,
    },
    {
      what: 'leases that lapsed meanwhile',
      measured: String(many.lapsed),
      baseline: `of ${thousands(systems * seconds)} looks`,
      ratio: '',
      goal: { text: 'none', isMet: many.lapsed === 0 },
    },
  ];
}

async function rehearse(databaseUrl: string, systems: number, seconds: number): Promise<Rehearsal> {
  await using database = await openDatabase({ url: databaseUrl, dataDir: '', logger: pino({ level: 'silent' }) });
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const names = Array.from({ length: systems }, (_, index) => (index === 0 ? 'main' : `system-${index}`));
  for (const name of names) {
    await beginPartition(db, name);
  }
  const items = simulateShop({
    from: START,
    to: START + seconds * 1_000,
    isBroken: () => false,
    requestEveryMs: REQUEST_EVERY_MS,
  });
  const bySecond = Map.groupBy(items, ({ at }) => Math.floor((at - START) / 1_000));
  let now = START;
  await using pipeline = createPipeline({
    db,
    log: postgresLog,
    logger: pino({ level: 'silent' }),
    clock: createRealClock(() => new Date(now)),
    process: 'rehearsal',
    isFirstStart: true,
    progress: createProgress(createSharedMemory()),
    events: {
      alive: () => undefined,
      stepped: () => undefined,
      setAside: (cause) => {
        throw new Error(cause);
      },
      snapshotTaken: () => undefined,
    },
  });
  pipeline.start();
  let lapsed = 0;
  const startedAt = performance.now();
  const cpuBefore = threadCpuUsage();
  for (let second = 0; second < seconds; second += 1) {
    now = START + (second + 1) * 1_000;
    const report = { sender: 'collector', items: bySecond.get(second) ?? [] };
    const entry = { kind: 'telemetry', at: now, reports: [report] } as const;
    await db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      for (const name of names) {
        await appendEntries(tx, [inTable(name, entry)]);
      }
    });
    pipeline.kick();
    for (let waiting = systems; waiting > 0; ) {
      await sleep(LOOK_MS);
      const { rows } = await sql<{ waiting: number; lapsed: number }>`
        select count(*) filter (where exists (
            select from telemetry_log where telemetry_log.partition = correlation.partition and sequence > position
          ))::integer as waiting,
          count(*) filter (where leased_until <= clock_now())::integer as lapsed
        from correlation
      `.execute(db);
      waiting = rows[0]?.waiting ?? 0;
      lapsed += waiting === 0 ? (rows[0]?.lapsed ?? 0) : 0;
    }
  }
  const { user, system } = threadCpuUsage(cpuBefore);
  const wallSeconds = (performance.now() - startedAt) / 1_000;
  globalThis.gc?.();
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(sum(octet_length(snapshot)), 0) as bytes from correlation
  `.execute(db);
  return {
    rows: items.length * systems,
    cpuSeconds: (user + system) / 1e6,
    wallSeconds,
    heapMegabytes: memoryUsage().heapUsed / MEGABYTE,
    lapsed,
    snapshotMegabytes: Number(rows[0]?.bytes ?? 0) / MEGABYTE,
  };
}
