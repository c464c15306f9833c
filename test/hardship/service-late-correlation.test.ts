import { addSeconds } from 'date-fns/addSeconds';
import { Kysely, type LogEvent, PostgresDialect } from 'kysely';
import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import { MAIN_SYSTEM } from '../../src/contract/system.ts';
import { createRealClock } from '../../src/runtime/clock.ts';
import type { Span } from '../../src/service/core/telemetry.ts';
import { measureCorrelation } from '../../src/service/correlation-metrics.ts';
import { createEngineState } from '../../src/service/engine/engine.ts';
import { GenericEvent, readGenericEvents } from '../../src/service/ingest/formats/generic/generic-event.ts';
import { readSpans } from '../../src/service/ingest/read-telemetry.ts';
import { createIntake } from '../../src/service/intake/intake.ts';
import { itemsOf } from '../../src/service/intake/telemetry-items.ts';
import type { LogEntry } from '../../src/service/log/log-entry.ts';
import { encodeEntry } from '../../src/service/log/log-format.ts';
import { postgresLog } from '../../src/service/log/postgres-log.ts';
import type { LogRow } from '../../src/service/log/telemetry-log.ts';
import { createCorrelator } from '../../src/service/pipeline/correlator.ts';
import { createProgress, createSharedMemory } from '../../src/service/pipeline/progress.ts';
import { type Replayed, replay } from '../../src/service/pipeline/replay.ts';
import { createIncidentWriter } from '../../src/service/pipeline/write-incidents.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { writeSignals } from '../../src/service/store/signals/write-signals.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { silentLogger } from '../support/logger.ts';
import { createPlainPool } from '../support/plain-pool.ts';

const START = new Date('2026-01-31T08:00:00Z');
const after = (seconds: number) => addSeconds(START, seconds);

/** Spans of three requests that payments failed. */
function failures(name: string, at: Date): Span[] {
  const nanos = BigInt(at.getTime()) * 1_000_000n;
  return ['1', '2', '3'].map((digit) => ({
    resource: { service: 'payments', attributes: {} },
    traceId: `${at.getTime()}`.padStart(31, digit) + digit,
    spanId: `${at.getTime()}`.padStart(15, digit) + digit,
    parentSpanId: null,
    name,
    kind: 'server',
    startNanos: nanos - 20_000_000n,
    endNanos: nanos,
    attributes: {},
    status: 'error',
    statusMessage: 'refused',
    exception: null,
  }));
}

/** Intake and correlation, one step at a time, so that correlation can be as late as a test wants. */
async function startSteps(database: TestDatabase) {
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const replayed: Replayed = { state: createEngineState(), tickedAt: Number.NEGATIVE_INFINITY };
  const writer = createIncidentWriter(MAIN_SYSTEM);
  const progress = createProgress(createSharedMemory());
  let waiting: LogRow[] = [];
  let sequence = 0n;
  const append = (entry: LogEntry) => {
    sequence += 1n;
    waiting.push({ sequence, bytes: encodeEntry(entry) });
  };
  return {
    async receive(name: string, at: Date) {
      const { signals, telemetry } = readSpans(failures(name, at), at);
      await db.transaction().execute((tx) => writeSignals(tx, signals, at));
      append({ kind: 'telemetry', at: at.getTime(), reports: [{ sender: 'key', items: telemetry }] });
    },
    async receiveAlert(summary: string, at: Date) {
      const batch = readGenericEvents([GenericEvent.parse({ service: 'disk', summary })], at);
      const items = itemsOf(batch, { histories: new Map(), rules: new Map() }, at);
      await db.transaction().execute((tx) => writeSignals(tx, batch.signals, at));
      append({ kind: 'telemetry', at: at.getTime(), reports: [{ sender: 'key', items }] });
    },
    tick: (at: Date, closed: readonly { number: number; at: number }[] = []) =>
      append({ kind: 'tick', tick: { at: at.getTime(), closed } }),
    async step(now: Date) {
      const outcome = replay(replayed, waiting, [], progress);
      waiting = [];
      const written = await db.transaction().execute((tx) => writer.write(tx, replayed.state, outcome, now, false));
      written.committed();
    },
    close: (at: Date) => db.updateTable('incidents').set({ closed_at: at }).execute(),
    async listSignals() {
      const rows = await db
        .selectFrom('signals')
        .leftJoin('incidents', 'incidents.id', 'signals.incident_id')
        .select(['summary', 'observed_at', 'number'])
        .orderBy('observed_at')
        .execute();
      return rows.map(({ summary, observed_at: at, number }) => {
        const seconds = (new Date(at).getTime() - START.getTime()) / 1_000;
        return `${seconds} s: ${summary.split(' fails')[0]} of ${number}`;
      });
    },
  };
}

it.each([
  ['in one step', false],
  ['in a step of its own each', true],
])(
  'a failure that returns after an incident was closed is not stored with it, if both are judged late and %s',
  async (_, isEachAlone) => {
    await using database = await createTestDatabase();
    const tocsin = await startSteps(database);
    await tocsin.receive('GET /orders', after(0));
    tocsin.tick(after(20));
    await tocsin.step(after(20));

    await tocsin.receive('GET /refunds', after(60));
    await tocsin.close(after(70));
    await tocsin.receive('GET /refunds', after(770));
    tocsin.tick(after(90), [{ number: 1, at: after(70).getTime() }]);
    if (isEachAlone) {
      await tocsin.step(after(800));
    }
    tocsin.tick(after(790));
    await tocsin.step(after(800));

    expect(await tocsin.listSignals()).toEqual([
      '0 s: GET /orders of 1',
      '60 s: GET /refunds of 1',
      '770 s: GET /refunds of 2',
    ]);
  },
);

it('an alert opens its incident, however late it is correlated', async () => {
  await using database = await createTestDatabase();
  const tocsin = await startSteps(database);
  await tocsin.receiveAlert('disk full', after(0));
  tocsin.tick(after(3_600));
  await tocsin.step(after(3_600));

  expect(await tocsin.listSignals()).toEqual(['0 s: disk full of 1']);
});

it('a step has the time at which it has read the log, so that nothing in it is of later', async () => {
  await using database = await createTestDatabase();
  await database.open(SERVICE_SCHEMA, serviceMigrations);
  const pool = createPlainPool(database.url, SERVICE_SCHEMA);
  let now = START;
  const log = ({ query }: LogEvent) => {
    now = /octet_length\(entry\)/.test(query.sql) ? after(600) : now; // the step reads the log, and that takes long
  };
  await using db = new Kysely<ServiceTables>({ dialect: new PostgresDialect({ pool }), log });
  const deps = { db, log: postgresLog, logger: silentLogger, clock: createRealClock(() => now) };
  await using correlator = createCorrelator({
    ...deps,
    source: database.source,
    runsIn: 'this thread', // statements of other connections are not seen
    events: measureCorrelation(new Registry(), () => undefined),
  });
  await using intake = createIntake({
    ...deps,
    signalRetentionDays: null,
    onAccepted: () => undefined,
    onAppended: () => undefined,
  });
  await intake.accept(readGenericEvents([GenericEvent.parse({ service: 'disk', summary: 'disk full' })], now));

  correlator.start();

  const opened = () => db.selectFrom('incidents').select('opened_at').executeTakeFirst();
  const incident = await vi.waitUntil(opened, { timeout: HANG_MS });
  expect(incident.opened_at).toEqual(after(600));
});
