import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRealClock } from '../../src/runtime/clock.ts';
import { LogUnavailableError } from '../../src/service/core/errors.ts';
import { STATE_BYTES } from '../../src/service/engine/budget.ts';
import { createJetStreamLog } from '../../src/service/log/jetstream-log.ts';
import { decodeEntry, LOST } from '../../src/service/log/log-format.ts';
import { appendTick } from '../../src/service/log/log-table.ts';
import type { TelemetryLog } from '../../src/service/log/telemetry-log.ts';
import { createPartition } from '../../src/service/pipeline/partition.ts';
import { createPipeline } from '../../src/service/pipeline/pipeline.ts';
import type { PipelineEvents } from '../../src/service/pipeline/pipeline-events.ts';
import { createProgress, createSharedMemory } from '../../src/service/pipeline/progress.ts';
import { MAX_SNAPSHOT_BYTES } from '../../src/service/pipeline/snapshot-bytes.ts';
import { beginPartition } from '../../src/service/store/log/correlation-lease.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { append, checkLaws, entryAt, readAll, timesOf } from '../support/log-laws.ts';
import { createLogLines } from '../support/log-lines.ts';
import { HAS_NATS, type NatsServer, startNats } from '../support/nats-server.ts';
import { startTestService } from '../support/test-service.ts';

type Db = Kysely<ServiceTables>;

/** Removes what nobody may: the messages, or the stream. */
async function damage(url: string, how: 'messages' | 'stream'): Promise<void> {
  const connection = await connect({ servers: url.replace('nats://', '').split(',') });
  const { streams } = await jetstreamManager(connection);
  await (how === 'stream' ? streams.delete('TOCSIN_LOG') : streams.purge('TOCSIN_LOG'));
  await connection.close();
}

async function readStream(url: string) {
  const connection = await connect({ servers: url.replace('nats://', '').split(',') });
  const { state, config, created } = await (await jetstreamManager(connection)).streams.info('TOCSIN_LOG');
  await connection.close();
  return { messages: state.messages, replicas: config.num_replicas, created };
}

function ifUnavailable(error: unknown): null {
  if (error instanceof LogUnavailableError) {
    return null;
  }
  throw error;
}

/** Repeats what was refused because a busy machine answered late. */
function patient(log: TelemetryLog): TelemetryLog {
  const repeat = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    const answers: Result[] = [];
    await vi.waitUntil(
      async () => {
        const before = answers.length;
        await ask().then((answer) => answers.push(answer), ifUnavailable);
        return answers.length > before;
      },
      { timeout: HANG_MS },
    );
    return answers[0] as Result;
  };
  return {
    ...log,
    prepare: (partition, entry) => repeat(() => log.prepare(partition, entry)),
    readAfter: (...range) => repeat(() => log.readAfter(...range)),
  };
}

/** Appends entries 1 to `count`, and repeats what was refused, as senders do. */
async function appendAll(db: Db, log: TelemetryLog, from: number, count: number, onAppended: () => void) {
  for (let at = from; at < from + count; at += 1) {
    await vi.waitUntil(
      async () => {
        const prepared = await log.prepare('main', entryAt(at)).catch(ifUnavailable);
        return prepared !== null && (await append(db, [prepared]).then(() => true, ifUnavailable));
      },
      { timeout: HANG_MS },
    );
    onAppended();
  }
}

/** Reads as correlation does: what was read is never read again. */
async function follow(db: Db, log: TelemetryLog, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  let after = 0n;
  await vi.waitUntil(
    async () => {
      const { rows = [] } = (await log.readAfter(db, 'main', after).catch(ifUnavailable)) ?? {};
      times.push(...timesOf(rows));
      after = rows.at(-1)?.sequence ?? after;
      return times.length >= count;
    },
    { timeout: HANG_MS },
  );
  return times;
}

const NO_EVENTS: PipelineEvents = {
  alive: () => undefined,
  stepped: () => undefined,
  setAside: () => undefined,
  snapshotTaken: () => undefined,
};

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe.skipIf(!HAS_NATS)('the log in NATS JetStream (runs where nats-server is installed)', () => {
  let nats: NatsServer;
  let database: TestDatabase;
  let db: Db;
  let logs: [TelemetryLog, TelemetryLog];

  beforeAll(async () => {
    nats = await startNats();
    database = await createTestDatabase();
    db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
    const { url } = nats;
    logs = [createJetStreamLog({ url, db }), createJetStreamLog({ url, db })];
  });
  afterAll(async () => {
    await Promise.all(logs.map((log) => log[Symbol.asyncDispose]()));
    await database[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
  });

  checkLaws(() => ({ db, logs: [patient(logs[0]), patient(logs[1])] }));

  it('refuses what was prepared before a trim that may have purged it, and purges what is trimmed', async () => {
    const [log] = logs;
    await beginPartition(db, 'slow');
    const slow = await log.prepare('slow', entryAt(1));
    const before = (await readStream(nats.url)).messages;
    await append(db, [await log.prepare('slow', entryAt(2))]);
    const last = (await readAll(db, log, 'slow')).at(-1)?.sequence ?? 0n;
    await log.trim(db, 'slow', last);
    await log.trim(db, 'slow', last);

    await expect(append(db, [slow])).rejects.toThrow(LogUnavailableError);

    expect(await readStream(nats.url)).toMatchObject({ messages: before - 1, replicas: 1 });
    expect(await readAll(db, log, 'slow')).toEqual([]);
  });

  it.each(['messages', 'stream'] as const)('tells which entries are lost with the %s, and goes on', async (how) => {
    const [log, other] = logs;
    await beginPartition(db, how);
    await append(db, [await log.prepare(how, entryAt(1))]);

    await damage(nats.url, how);
    await other.check().catch(() => undefined);
    await append(db, [await log.prepare(how, entryAt(2))]);

    const [lost, kept] = await readAll(db, log, how);
    expect(() => decodeEntry(lost?.bytes ?? Buffer.from('no row'))).toThrow('NATS has lost the bytes of the entry');
    expect(kept && timesOf([kept])).toEqual([2]);
  });

  it('writes for the stream that is there, when another process has replaced the one of its connection', async () => {
    const [log, other] = logs;
    await beginPartition(db, 'replaced');
    await log.prepare('replaced', entryAt(1));
    const { created: before } = await readStream(nats.url);

    await damage(nats.url, 'stream');
    await other.check().catch(() => undefined);
    await other.check();
    const { bytes } = await log.prepare('replaced', entryAt(2));

    const { created } = await readStream(nats.url);
    expect(created).not.toBe(before);
    expect(JSON.parse(bytes.toString())).toMatchObject({ createdAt: Date.parse(created) });
  });

  it('leaves out all that is lost, and forgets nothing for it', async () => {
    await using own = await createTestDatabase();
    const ownDb = await own.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
    await using log = createJetStreamLog({ url: nats.url, db: ownDb });
    for (const at of [1, 2, 3, 4, 5]) {
      await append(ownDb, [await log.prepare('main', entryAt(at))]);
    }
    await damage(nats.url, 'messages');
    await append(ownDb, [await log.prepare('main', entryAt(6))]);
    const items: number[] = [];
    const causes: string[] = [];
    const share = { partitions: () => 1, budgetBytes: () => STATE_BYTES, renew: async () => undefined };
    const partition = createPartition('main', share, {
      db: ownDb,
      logger: createLogLines().logger,
      clock: createRealClock(),
      log,
      progress: createProgress(createSharedMemory()),
      maxSnapshotBytes: MAX_SNAPSHOT_BYTES,
      events: {
        ...NO_EVENTS,
        stepped: (report) => items.push(report.items),
        setAside: (cause) => causes.push(cause),
      },
    });

    await partition.step({ position: 0n, hasEntries: true }, Date.now());

    expect(items).toEqual([1]);
    expect(causes).toHaveLength(1);
    const noted = await ownDb.selectFrom('set_aside').select(['kind', 'cause']).execute();
    expect(noted).toEqual(Array.from({ length: 5 }, () => ({ kind: 'entries', cause: LOST })));
  });

  it('refuses while the server hangs, and reads once what was answered', async () => {
    const [log] = logs;
    await beginPartition(db, 'hung');
    await append(db, [await log.prepare('hung', entryAt(1))]);

    await nats.nodes[0].stop();
    try {
      const refused = log.prepare('hung', entryAt(2));
      await expect(refused).rejects.toThrow(/^NATS cannot be used now: it does not answer$/);
    } finally {
      nats.nodes[0].goOn();
    }
    await append(db, [await log.prepare('hung', entryAt(3))]);

    expect(timesOf(await readAll(db, log, 'hung'))).toEqual([1, 3]);
  });

  it('loses and doubles nothing when the server is killed under load, and goes on', async () => {
    await using own = await createTestDatabase();
    const ownDb = await own.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
    await using reader = createJetStreamLog({ url: nats.url, db: ownDb });
    const count = 120;
    let appended = 0;
    const writers = logs.map((log, index) =>
      appendAll(ownDb, log, index * (count / 2) + 1, count / 2, () => {
        appended += 1;
      }),
    );
    const read = follow(ownDb, reader, count);

    await vi.waitUntil(() => appended > count / 3, { timeout: HANG_MS });
    await nats.nodes[0].kill();
    await expect(logs[0].check()).rejects.toThrow(LogUnavailableError);
    await nats.nodes[0].start();
    await Promise.all(writers);

    expect((await read).toSorted((a, b) => a - b)).toEqual(upTo(count));
  });

  it('opens incidents from telemetry that went through it', async () => {
    await using own = await createTestDatabase();
    await using tocsin = await startTestService({ database: own, natsUrl: nats.url, correlateIn: 'own thread' });
    const before = (await readStream(nats.url)).messages;

    await tocsin.failIn(['payments']);

    expect(await readStream(nats.url)).toMatchObject({ messages: before + 1 });
    expect(await tocsin.openIncident()).toMatchObject({ root_service: 'payments' });
  });

  it('logs once that NATS is away, and that it is back', async () => {
    await using away = await startNats();
    await using own = await createTestDatabase();
    const ownDb = await own.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
    const { logger, lines } = createLogLines();
    await using log = createJetStreamLog({ url: away.url, db: ownDb, logger });
    const said = () => lines.map((line) => Object(JSON.parse(line))).map(({ msg, reason }) => [msg, reason]);
    await away.nodes[0].kill();

    await expect(log.check()).rejects.toThrow(LogUnavailableError);
    await expect(log.check()).rejects.toThrow(LogUnavailableError);
    const whileAway = said();
    await away.nodes[0].start();
    await log.check();
    await log.check();

    expect(whileAway).toEqual([
      ['NATS cannot be used: telemetry is refused and not correlated until it can', 'it cannot be reached'],
    ]);
    expect(said().slice(1)).toEqual([['NATS can be used again', undefined]]);
  });

  it('goes on with a system that needs nothing of NATS, while another one waits for it', async () => {
    await using away = await startNats();
    await using own = await createTestDatabase();
    const ownDb = await own.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
    await using log = createJetStreamLog({ url: away.url, db: ownDb });
    await beginPartition(ownDb, 'acme');
    await append(ownDb, [await log.prepare('acme', entryAt(1))]);
    await away.nodes[0].kill();
    const { sequence } = await appendTick(ownDb, 'main', { at: Date.now(), closed: [] });
    await using pipeline = createPipeline({
      db: ownDb,
      logger: createLogLines().logger,
      clock: createRealClock(),
      log,
      process: 'test',
      isFirstStart: true,
      progress: createProgress(createSharedMemory()),
      events: NO_EVENTS,
    });

    pipeline.start();

    const reached = async () => {
      const row = await ownDb.selectFrom('correlation').select('position').where('partition', '=', 'main').execute();
      return BigInt(row[0]?.position ?? 0);
    };
    await expect.poll(reached, { timeout: HANG_MS }).toBeGreaterThanOrEqual(sequence);
  });

  it('keeps to the size of messages that a stream allows which somebody has made', async () => {
    await using small = await startNats();
    const connection = await connect({ servers: small.url.replace('nats://', '') });
    const { streams } = await jetstreamManager(connection);
    await streams.add({ name: 'TOCSIN_LOG', subjects: ['tocsin.log.>'], max_msg_size: 10_000 });
    await connection.close();
    await using log = createJetStreamLog({ url: small.url, db });
    await beginPartition(db, 'small');

    await append(db, [await log.prepare('small', entryAt(1, 50_000))]);

    expect(timesOf(await readAll(db, log, 'small'))).toEqual([1]);
  });

  it('answers 503 to telemetry while no server is there, is unready with a sentence, and goes on', async () => {
    await using away = await startNats();
    await away.nodes[0].kill();
    await using own = await createTestDatabase();
    const { logger, lines } = createLogLines();
    const natsUrl = away.url.replace('nats://', 'nats://tocsin:hunter2@');
    await using tocsin = await startTestService({ database: own, natsUrl, logger });
    const at = `${tocsin.now().getTime()}000000`;
    const span = {
      traceId: '1'.repeat(32),
      spanId: '2'.repeat(16),
      name: 'GET /',
      startTimeUnixNano: at,
      endTimeUnixNano: at,
    };
    const body = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };

    const refused = await tocsin.call('POST', '/traces', { body });
    const unready = await tocsin.service.readiness();
    await away.nodes[0].start();

    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(unready).toContainEqual({
      name: 'log',
      ready: true,
      detail: 'NATS cannot be used now: it cannot be reached',
    });
    await tocsin.failIn(['payments']);
    expect(await tocsin.openIncident()).toMatchObject({ root_service: 'payments' });
    expect(lines.filter((line) => line.includes('hunter2'))).toEqual([]);
  });
});

describe.skipIf(!HAS_NATS)('the log in a cluster of NATS (runs where nats-server is installed)', () => {
  it('loses and doubles nothing when a node is killed, and goes on with the others', async () => {
    await using nats = await startNats(3);
    await using database = await createTestDatabase();
    const db: Db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
    await using writer = createJetStreamLog({ url: nats.url, db });
    await using reader = createJetStreamLog({ url: nats.url, db });
    await vi.waitUntil(
      () =>
        writer.check().then(
          () => true,
          () => false,
        ),
      { timeout: HANG_MS },
    );
    expect(await readStream(nats.url)).toMatchObject({ replicas: 3 });
    const count = 60;
    let appended = 0;
    const written = appendAll(db, writer, 1, count, () => {
      appended += 1;
    });
    const read = follow(db, reader, count);

    await vi.waitUntil(() => appended > count / 3, { timeout: HANG_MS });
    await nats.nodes[0].kill();
    await written;

    expect(await read).toEqual(upTo(count));
  });
});
