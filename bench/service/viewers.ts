import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { openDatabase } from '../../src/database/database.ts';
import { openApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { createSessionStore } from '../../src/service/store/people/session-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { insertIncidents } from '../../test/support/service-rows.ts';
import { wideCalls, wideCorrelation } from '../../test/support/wide-incident.ts';
import { type Finding, median, milliseconds, quantile } from '../numbers.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';
import { compare, processorSeconds } from './reader.ts';

const VIEWERS = 500;
const SERVICES = 39;
const NOTES = 20;
const GOAL = { p99Ms: 1_000, stallMs: 100, ratio: 3 };
/** Of the incidents of one and of many services. */
const [SMALL, WIDE] = [1, 2];

/** Many people look at one incident of many services, each signed in for themselves, while notes are written. */
export async function measureViewers(cluster: ScratchCluster): Promise<Finding[]> {
  const databaseUrl = await cluster.createDatabase('viewers');
  await using service = await startServiceProcess(databaseUrl);
  await withConnection(databaseUrl, SERVICE_SCHEMA, async (client) => {
    await insertIncidents(client, 2, new Date());
    const services = Array.from({ length: SERVICES }, (_, index) => `service-number-${index}`);
    const correlation = JSON.stringify(wideCorrelation(services));
    await client.query(
      `update incidents set services = $1, root_service = $2, correlation = correlation || $3::jsonb, impact = $4
      where number = ${WIDE}`,
      [services, services[0], correlation, JSON.stringify(wideCalls(services).slice(0, 5))],
    );
  });
  const [first = '', ...tokens] = await createSessions(databaseUrl, VIEWERS + 1);
  const { id } = (await (await call(service, 'GET', `/incidents/${WIDE}`)).json()) as { id: string };
  const pages = await measurePages(service, first);
  const alone = await measureNotes(service, id, tokens.slice(0, 1));
  const all = await measureNotes(service, id, tokens);
  return [
    ...pages,
    {
      what: `a note to ${VIEWERS} viewers of ${SERVICES} services: p99`,
      measured: milliseconds(quantile(all.delays, 0.99)),
      baseline: `${milliseconds(median(alone.delays))} one viewer`,
      ratio: (quantile(all.delays, 0.99) / median(alone.delays)).toFixed(1),
      goal: { text: `below ${GOAL.p99Ms} ms`, isMet: quantile(all.delays, 0.99) < GOAL.p99Ms },
    },
    {
      what: 'meanwhile the slowest answer of /healthz: median of the notes',
      measured: milliseconds(median(all.stalls)),
      baseline: `${milliseconds(median(alone.stalls))} one viewer`,
      ratio: (median(all.stalls) / median(alone.stalls)).toFixed(1),
      goal: { text: `below ${GOAL.stallMs} ms`, isMet: median(all.stalls) < GOAL.stallMs },
    },
    {
      what: 'meanwhile processor time of the service for a note',
      measured: milliseconds(all.processorMs / NOTES),
      baseline: `${milliseconds(alone.processorMs / NOTES)} one viewer`,
      ratio: (all.processorMs / alone.processorMs).toFixed(1),
      goal: null,
    },
    {
      what: 'bytes that a viewer gets for a note',
      measured: Math.round(all.bytes / NOTES / VIEWERS).toLocaleString('en'),
      baseline: '',
      ratio: '',
      goal: null,
    },
  ];
}

async function measurePages(service: ServiceProcess, token: string): Promise<Finding[]> {
  const read = (number: number) => async () => {
    const url = new URL(`/dashboard/incidents/${number}`, service.baseUrl);
    const response = await fetch(url, { headers: { cookie: cookieOf(token) } });
    await response.text();
    if (response.status !== 200) {
      throw new Error(`GET ${url.pathname} answered ${response.status}`);
    }
  };
  const [wide, small] = await compare(read(WIDE), read(SMALL), { times: 100, limitMs: 15_000 });
  return [
    {
      what: `the page of an incident of ${SERVICES} services: p50`,
      measured: milliseconds(wide.p50),
      baseline: `${milliseconds(small.p50)} of few`,
      ratio: (wide.p50 / small.p50).toFixed(2),
      goal: { text: `at most ${GOAL.ratio}`, isMet: wide.p50 / small.p50 <= GOAL.ratio },
    },
  ];
}

async function measureNotes(service: ServiceProcess, id: string, tokens: readonly string[]) {
  const sockets: Socket[] = [];
  const delays: number[] = [];
  const stalls: number[] = [];
  let bytes = 0;
  let processorMs = 0;
  try {
    for (const token of tokens) {
      sockets.push(await openStream(service, id, token));
    }
    const before = await processorSeconds(service.baseUrl);
    for (let note = 0; note < NOTES; note += 1) {
      const start = performance.now();
      const arrivals = Promise.all(sockets.map((socket) => nextMessage(socket)));
      const watch = watchHealth(service);
      await call(service, 'POST', `/incidents/${id}/notes`, { user: 'ana', text: `note ${note}` });
      for (const { at, size } of await arrivals) {
        delays.push(at - start);
        bytes += size;
      }
      stalls.push(await watch.end());
    }
    processorMs = 1_000 * ((await processorSeconds(service.baseUrl)) - before);
  } finally {
    for (const socket of sockets) {
      socket.destroy();
    }
  }
  return { delays, stalls, bytes, processorMs };
}

/** Asks for `/healthz` again and again. */
function watchHealth({ baseUrl }: ServiceProcess): { end(): Promise<number> } {
  let isOver = false;
  const watching = (async () => {
    let slowest = 0;
    while (!isOver) {
      const start = performance.now();
      await (await fetch(new URL('/healthz', baseUrl))).text();
      slowest = Math.max(slowest, performance.now() - start);
      await setTimeout(5);
    }
    return slowest;
  })();
  return {
    async end() {
      isOver = true;
      return await watching;
    },
  };
}

function call({ baseUrl, key }: ServiceProcess, method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(baseUrl + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

function cookieOf(token: string): string {
  return `tocsin=${token}`;
}

async function createSessions(databaseUrl: string, count: number): Promise<string[]> {
  await using database = await openDatabase({ url: databaseUrl, dataDir: '', logger: pino({ level: 'silent' }) });
  const keys = await openApiKeyStore(database);
  const [key] = await keys.list();
  const sessions = createSessionStore(await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations));
  const tokens: string[] = [];
  for (let index = 0; index < count; index += 1) {
    tokens.push(
      await sessions.create(
        {
          identity: `viewer ${index}`,
          person: { user: `viewer${index}`, name: `Viewer ${index}`, slackUserId: null, userId: 'console:bench' },
          role: 'responder',
          method: 'link',
          apiKeyId: key?.id ?? null,
          grantedBy: [],
          address: '127.0.0.1',
          userAgent: 'bench',
        },
        new Date(),
      ),
    );
  }
  return tokens;
}

/** A plain socket, because hundreds of HTTP clients would measure themselves. */
async function openStream({ baseUrl }: ServiceProcess, id: string, token: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  const lines = [
    `GET /dashboard/live/incident?id=${id} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `cookie: ${cookieOf(token)}`,
    'accept-encoding: gzip',
  ];
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('close', () => reject(new Error('a stream was refused'))).once('error', reject);
    socket.once('data', (chunk: Buffer) => {
      if (chunk.toString('latin1').startsWith('HTTP/1.1 200')) {
        resolve(setTimeout(5)); // for the first words of the stream
      } else {
        reject(new Error(chunk.toString()));
      }
    });
  });
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await opened;
  return socket;
}

/** Less than any change: what keeps a stream open. */
const LEAST_BYTES = 500;

/** Resolves when the next change has arrived completely. It is one chunk of the response. */
function nextMessage(socket: Socket): Promise<{ at: number; size: number }> {
  return new Promise((resolve, reject) => {
    let got = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]);
      const [head = ''] = got.subarray(0, 20).toString('latin1').split('\r\n');
      const size = Number.parseInt(head, 16);
      if (got.length < head.length + 2 + size + 2) {
        return;
      }
      if (size < LEAST_BYTES) {
        got = got.subarray(head.length + 2 + size + 2);
        return;
      }
      socket.off('data', read).off('close', fail);
      resolve({ at: performance.now(), size });
    };
    const fail = () => reject(new Error('a stream ended'));
    socket.on('data', read).once('close', fail);
  });
}
