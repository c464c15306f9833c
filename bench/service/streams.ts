import { connect, type Socket } from 'node:net';
import type { Client } from 'pg';
import { pino } from 'pino';
import { SIGN_IN_REQUESTED } from '../../src/contract/events.ts';
import { openDatabase } from '../../src/database/database.ts';
import { KEY_ACTORS } from '../../src/service/core/key-event.ts';
import { MAX_STREAMS_PER_READER } from '../../src/service/events/event-streams.ts';
import { openApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { type Finding, median, milliseconds, quantile, thousands } from '../numbers.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';

const READERS = 1_000;
const EVENTS = 60;
const GOAL_RATIO = 3;

/** Measures how long an event takes to one reader alone, and to each of a thousand readers. */
export async function measureStreams(cluster: ScratchCluster): Promise<Finding[]> {
  const databaseUrl = await cluster.createDatabase('streams');
  await using service = await startServiceProcess(databaseUrl);
  const alone = await measure(service, databaseUrl, 1);
  const many = await measure(service, databaseUrl, READERS);
  return (['p50', 'p99'] as const).map((part) => ({
    what: `an event to ${thousands(READERS)} streams: ${part}`,
    measured: milliseconds(many[part]),
    baseline: `${milliseconds(alone[part])} one stream`,
    ratio: (many[part] / alone[part]).toFixed(2),
    goal: part === 'p50' ? { text: `at most ${GOAL_RATIO}`, isMet: many[part] / alone[part] <= GOAL_RATIO } : null,
  }));
}

async function measure(service: ServiceProcess, databaseUrl: string, readers: number) {
  const keys = await createKeys(databaseUrl, Math.ceil(readers / MAX_STREAMS_PER_READER));
  const sockets = await Promise.all(
    Array.from({ length: readers }, (_, index) => openStream(service, keys[index % keys.length] ?? '')),
  );
  const delays: number[] = [];
  try {
    for (let event = 0; event < EVENTS; event += 1) {
      const arrivals = sockets.map((socket) => arrivalOf(socket));
      const start = performance.now();
      await withConnection(databaseUrl, SERVICE_SCHEMA, appendEvent);
      delays.push(...(await Promise.all(arrivals)).map((at) => at - start));
    }
  } finally {
    for (const socket of sockets) {
      socket.destroy();
    }
  }
  return { p50: median(delays), p99: quantile(delays, 0.99) };
}

/** One like those that an incident writes. */
async function appendEvent(client: Client): Promise<void> {
  await client.query(`
    with taken as (update event_sequence set last = last + 1 returning last)
    insert into events (sequence, id, type, occurred_at, sign_in)
    select last, 'evt_' || last, '${SIGN_IN_REQUESTED}', now(), '{"email":"ana@example.com","returnTo":"/dashboard"}' from taken;
    select pg_notify('tocsin_events', '')`);
}

async function createKeys(databaseUrl: string, count: number): Promise<string[]> {
  await using database = await openDatabase({ url: databaseUrl, dataDir: '', logger: pino({ level: 'silent' }) });
  const store = await openApiKeyStore(database);
  const created = Array.from({ length: count }, () =>
    store.create('reader', 'read-write', new Date(), KEY_ACTORS.commandLine),
  );
  return (await Promise.all(created)).map(({ rawKey }) => rawKey);
}

/** A plain socket, because a thousand HTTP clients would measure themselves. */
async function openStream({ baseUrl }: ServiceProcess, key: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  socket.write(`GET /v1/events HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n\r\n`);
  await textWith(socket, 'retry:');
  return socket;
}

async function arrivalOf(socket: Socket): Promise<number> {
  await textWith(socket, 'event: ');
  return performance.now();
}

/** Resolves with the chunk that contains the text. */
function textWith(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      if (chunk.includes(text)) {
        socket.off('data', read).off('close', fail);
        resolve();
      }
    };
    const fail = () => reject(new Error(`a stream ended without ${text}`));
    socket.on('data', read).once('close', fail);
  });
}
