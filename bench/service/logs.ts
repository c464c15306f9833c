import { pino } from 'pino';
import { openDatabase } from '../../src/database/database.ts';
import type { SpanItem } from '../../src/service/core/telemetry-item.ts';
import { createJetStreamLog } from '../../src/service/log/jetstream-log.ts';
import { decodeEntry } from '../../src/service/log/log-format.ts';
import { appendEntries } from '../../src/service/log/log-table.ts';
import { postgresLog } from '../../src/service/log/postgres-log.ts';
import type { TelemetryEntry, TelemetryLog } from '../../src/service/log/telemetry-log.ts';
import { beginPartition } from '../../src/service/store/log/correlation-lease.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { lockWriters } from '../../src/service/store/shared/signal-state.ts';
import { HAS_NATS, startNats } from '../../test/support/nats-server.ts';
import { type Finding, median, thousands } from '../numbers.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { readCpuSeconds, readCpuSecondsOfAll } from '../usage.ts';

const ROWS_OF_ENTRY = 1_000;
const ENTRIES = 400;
const ROUNDS = 3;
const PARTITIONS = [1, 2, 4];

interface Measured {
  readonly rowsPerSecond: number;
  /** Microseconds of processor time a row: of the database, of NATS, of this process. */
  readonly database: number;
  readonly nats: number;
  readonly here: number;
}

/**
 * Appends telemetry to both logs and reads it back, by a writer and then a reader for each partition, all in this process.
 * Rounds of both logs alternate.
 */
export async function measureLogs(cluster: ScratchCluster): Promise<Finding[]> {
  if (!HAS_NATS) {
    throw new Error("this measurement needs nats-server: install Debian's package of that name");
  }
  const url = await cluster.createDatabase('logs');
  await using nats = await startNats();
  await using database = await openDatabase({ url, dataDir: '', logger: pino({ level: 'silent' }) });
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  await using jetstream = createJetStreamLog({ url: nats.url, db });
  const postmaster = await withConnection(url, 'public', async (client) => {
    const { rows } = await client.query<{ text: string }>("select pg_read_file('postmaster.pid') as text");
    return Number.parseInt(rows[0]?.text ?? '', 10);
  });
  const entry = entryOf(Date.now());

  async function measure(rows: number, work: () => Promise<unknown>): Promise<Measured> {
    const read = async () =>
      [await readCpuSecondsOfAll(postmaster), await readCpuSeconds(nats.nodes[0].pid())] as const;
    const [before, own, start] = [await read(), process.cpuUsage(), performance.now()];
    await work();
    const seconds = (performance.now() - start) / 1_000;
    const { user, system } = process.cpuUsage(own);
    const after = await read();
    const perRow = (index: 0 | 1) => ((after[index] - before[index]) * 1e6) / rows;
    return { rowsPerSecond: rows / seconds, database: perRow(0), nats: perRow(1), here: (user + system) / rows };
  }

  async function write(log: TelemetryLog, partition: string, entries: number): Promise<void> {
    for (let index = 0; index < entries; index += 1) {
      const prepared = await log.prepare(partition, entry);
      await db.transaction().execute(async (tx) => {
        await lockWriters(tx);
        await appendEntries(tx, [prepared]);
      });
    }
  }

  async function read(log: TelemetryLog, partition: string): Promise<void> {
    let after = 0n;
    for (let isAll = false; !isAll; ) {
      const read = await log.readAfter(db, partition, after);
      for (const { bytes } of read.rows) {
        decodeEntry(bytes);
      }
      after = read.rows.at(-1)?.sequence ?? after;
      isAll = read.isAll;
    }
    await log.trim(db, partition, after);
    await log.trim(db, partition, after);
  }

  const findings: Finding[] = [];
  for (const count of PARTITIONS) {
    const partitions = Array.from({ length: count }, (_, index) => `p${index}`);
    for (const partition of partitions) {
      await beginPartition(db, partition);
    }
    const rows = ENTRIES * ROWS_OF_ENTRY;
    const run = async (log: TelemetryLog) => ({
      appended: await measure(rows, () => Promise.all(partitions.map((each) => write(log, each, ENTRIES / count)))),
      read: await measure(rows, () => Promise.all(partitions.map((each) => read(log, each)))),
    });
    const rounds = { postgres: [await run(postgresLog)], nats: [await run(jetstream)] };
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.postgres.push(await run(postgresLog));
      rounds.nats.push(await run(jetstream));
    }
    for (const what of ['appended', 'read'] as const) {
      const [inNats, inPostgres] = [rounds.nats, rounds.postgres].map((all) => all.slice(1).map((each) => each[what]));
      findings.push(compare(`rows/s ${what}, ${count} partitions`, inNats ?? [], inPostgres ?? []));
    }
  }
  return findings;
}

function compare(what: string, inNats: readonly Measured[], inPostgres: readonly Measured[]): Finding {
  const of = (all: readonly Measured[], field: keyof Measured) => median(all.map((each) => each[field]));
  const text = (all: readonly Measured[]) =>
    `${thousands(of(all, 'rowsPerSecond'))} (µs a row: ${of(all, 'here').toFixed(2)} here, ${of(all, 'database').toFixed(2)} PostgreSQL, ${of(all, 'nats').toFixed(2)} NATS)`;
  return {
    what,
    measured: `NATS: ${text(inNats)}`,
    baseline: `PostgreSQL: ${text(inPostgres)}`,
    ratio: (of(inNats, 'rowsPerSecond') / of(inPostgres, 'rowsPerSecond')).toFixed(2),
    goal: null,
  };
}

function entryOf(at: number): TelemetryEntry {
  const items = Array.from({ length: ROWS_OF_ENTRY }, (_, index): SpanItem => {
    const hex = (length: number) =>
      Math.floor(Math.random() * 2 ** 52)
        .toString(16)
        .padStart(length, '7');
    return {
      kind: 'span',
      service: `service-${index % 20}`,
      at: at + index,
      durationMs: index % 100,
      operation: `GET /${index % 50}`,
      traceId: hex(32),
      spanId: hex(16),
      parentSpanId: hex(16),
      role: 'server',
      isFailed: index % 100 === 0,
      peer: null,
    };
  });
  return { kind: 'telemetry', at, reports: [{ sender: 'bench', items }] };
}
