import { pino } from 'pino';
import { Agent, request } from 'undici';
import { openDatabase } from '../../src/database/database.ts';
import { KEY_ACTORS } from '../../src/service/core/key-event.ts';
import { openApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { alertNotification } from '../../test/support/alert-notification.ts';
import { insertSignals } from '../../test/support/service-rows.ts';
import { type Finding, median, milliseconds, quantile, thousands } from '../numbers.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';

const DAYS = 20;
const SEARCHES = 40;
const EVENTS = 150;
const GOAL_RATIO = 2;

/** Measures an event of one key alone, and while another key searches for a common word forty times at once. */
export async function measureSearches(cluster: ScratchCluster, count: number): Promise<Finding[]> {
  const databaseUrl = await cluster.createDatabase('searches');
  await using service = await startServiceProcess(databaseUrl);
  await withConnection(databaseUrl, SERVICE_SCHEMA, async (client) => {
    await client.query('set synchronous_commit = off');
    await insertSignals(client, count, DAYS, new Date());
    await client.query('vacuum analyze');
  });
  const [sender = '', reader = ''] = await createKeys(databaseUrl);
  const agent = new Agent({ connections: SEARCHES + 1 });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => agent.close());
  await sendEvents(service, sender, agent, EVENTS / 3);
  const alone = await sendEvents(service, sender, agent, EVENTS);
  const stop = new AbortController();
  const searching = Array.from({ length: SEARCHES }, () => search(service, reader, agent, stop.signal));
  const beside = await sendEvents(service, sender, agent, EVENTS);
  stop.abort();
  const answered = (await Promise.all(searching)).flat();
  return [
    ...(['p50', 'p99'] as const).map((part) => ({
      what: `an event beside ${SEARCHES} searches of another key at ${thousands(count)}: ${part}`,
      measured: milliseconds(beside[part]),
      baseline: `${milliseconds(alone[part])} alone`,
      ratio: (beside[part] / alone[part]).toFixed(2),
      goal: { text: `at most ${GOAL_RATIO}`, isMet: beside[part] / alone[part] <= GOAL_RATIO },
    })),
    {
      what: 'searches answered meanwhile, and refused',
      measured: `${answered.filter((status) => status === 200).length}`,
      baseline: `${answered.filter((status) => status !== 200).length}`,
      ratio: '',
      goal: null,
    },
  ];
}

async function createKeys(databaseUrl: string): Promise<string[]> {
  await using database = await openDatabase({ url: databaseUrl, dataDir: '', logger: pino({ level: 'silent' }) });
  const store = await openApiKeyStore(database);
  const sender = await store.create('sender', 'ingest', new Date(), KEY_ACTORS.commandLine);
  const reader = await store.create('reader', 'read-only', new Date(), KEY_ACTORS.commandLine);
  return [sender.rawKey, reader.rawKey];
}

async function sendEvents({ baseUrl }: ServiceProcess, key: string, dispatcher: Agent, count: number) {
  const taken: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const body = JSON.stringify(alertNotification(new Date(), null, { alertname: `Alert${index % 50}` }));
    const start = performance.now();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await request(`${baseUrl}/alertmanager`, { method: 'POST', headers, body, dispatcher });
    await response.body.dump();
    if (response.statusCode !== 200) {
      throw new Error(`an event was answered with ${response.statusCode}`);
    }
    taken.push(performance.now() - start);
  }
  return { p50: median(taken), p99: quantile(taken, 0.99) };
}

/** Searches again and again. Obeys `Retry-After`. @returns the statuses */
async function search(
  { baseUrl }: ServiceProcess,
  key: string,
  dispatcher: Agent,
  stopped: AbortSignal,
): Promise<number[]> {
  const statuses: number[] = [];
  while (!stopped.aborted) {
    const headers = { authorization: `Bearer ${key}` };
    const response = await request(`${baseUrl}/signals?q=fails`, { headers, dispatcher });
    await response.body.dump();
    statuses.push(response.statusCode);
    if (response.statusCode !== 200) {
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers['retry-after'] ?? 1) * 1_000));
    }
  }
  return statuses;
}
