import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { request } from 'undici';
import { openDatabase } from '../../src/database/database.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createSignalRetention } from '../../src/service/store/signals/signal-retention.ts';
import { alertNotification } from '../../test/support/alert-notification.ts';
import { insertIncidents, insertSignals } from '../../test/support/service-rows.ts';
import { say } from '../measure.ts';
import { type Finding, milliseconds, thousands } from '../numbers.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';
import { compare, createReader, type Latency } from './reader.ts';

const DAYS = 20;
const INCIDENTS = 1_000;
const BASE = 1_000_000;
const GOAL_RATIO = 2;
const READS = { times: 200, limitMs: 15_000 };
/** So that exactly the oldest of the days is removed. */
const RETENTION_DAYS = DAYS - 1;
const PRUNE_TRIES = 30;

/** An incident with signals of every day, and its neighbours in the tables. */
const INCIDENT = `inc_${(7).toString(16).padStart(26, '0')}`;

/**
 * Measures reading, storing and removing with many signals, compared with a million (or a tenth, if there are fewer). Rows
 * are made by SQL.
 */
export async function measureGrowth(cluster: ScratchCluster, many: number): Promise<Finding[]> {
  const base = many > BASE ? BASE : Math.round(many / 10);
  await using small = await startFilled(cluster, 'growth_base', base);
  await using large = await startFilled(cluster, 'growth_many', many);
  await using few = createReader(small.service);
  await using full = createReader(large.service);
  const rows = { many, base };
  const findings: Finding[] = [];
  for (const [name, path] of Object.entries(readsOf(large.firstDay))) {
    const latencies = await compare(
      () => full.read(path),
      () => few.read(path),
      READS,
    );
    findings.push(told(describe(name, rows, latencies)));
  }
  const stored = await compare(
    () => sendEvent(large.service),
    () => sendEvent(small.service),
    READS,
  );
  findings.push(told(describe('an alert is stored', rows, stored)));
  const [pruned, prunedFew] = [await prune(large.databaseUrl), await prune(small.databaseUrl)];
  findings.push(describe('a day is removed', rows, [once(pruned), once(prunedFew)]));
  return findings;
}

function readsOf(firstDay: Date): Readonly<Record<string, string>> {
  const day = (index: number) => new Date(firstDay.getTime() + index * 86_400_000).toISOString();
  return {
    'newest signals': '/signals',
    'signals by type': '/signals?type=log',
    'signals of a service': '/signals?service=service-7',
    'signals of a service and a day': `/signals?service=service-7&from=${day(3)}&to=${day(4)}`,
    'signals of an incident': `/incidents/${INCIDENT}/signals`,
    'text in few signals': '/signals?q=orders%2F4999%20fails',
    'text in all signals': '/signals?q=fails',
    'open incidents': '/incidents?status=open',
    'an incident': `/incidents/${INCIDENT}`,
  };
}

interface Filled extends AsyncDisposable {
  readonly service: ServiceProcess;
  readonly databaseUrl: string;
  readonly firstDay: Date;
}

async function startFilled(cluster: ScratchCluster, name: string, count: number): Promise<Filled> {
  const databaseUrl = await cluster.createDatabase(name);
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startServiceProcess(databaseUrl));
  const firstDay = await withConnection(databaseUrl, SERVICE_SCHEMA, async (client) => {
    await client.query('set synchronous_commit = off');
    await client.query("set maintenance_work_mem = '512MB'");
    await insertIncidents(client, INCIDENTS, new Date());
    const first = await insertSignals(client, count, DAYS, new Date());
    await client.query('vacuum analyze');
    return first;
  });
  const started = stack.move();
  return { service, databaseUrl, firstDay, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

let sent = 0;
async function sendEvent({ baseUrl, key }: ServiceProcess): Promise<void> {
  sent += 1;
  const body = JSON.stringify(alertNotification(new Date(), null, { alertname: `Alert${sent % 50}` }));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { statusCode, body: answer } = await request(`${baseUrl}/alertmanager`, { method: 'POST', headers, body });
  await answer.dump();
  if (statusCode !== 200) {
    throw new Error(`an event was answered with ${statusCode}`);
  }
}

/**
 * Tries again while somebody reads for more than a second, as the service does.
 *
 * @returns how long the last try took, in milliseconds
 */
async function prune(databaseUrl: string): Promise<number> {
  await using database = await openDatabase({ url: databaseUrl, dataDir: '', logger: pino({ level: 'silent' }) });
  await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const retention = createSignalRetention(database.share(SERVICE_SCHEMA, 'upkeep'), RETENTION_DAYS);
  for (let left = PRUNE_TRIES; ; left -= 1) {
    const start = performance.now();
    try {
      await retention.prune(new Date());
      return performance.now() - start;
    } catch (error) {
      if (left === 0) {
        throw error;
      }
      await sleep(1_000);
    }
  }
}

/** At once, since filling takes long and what comes later may fail. */
function told(finding: Finding): Finding {
  say(`${finding.what}: ${finding.measured}, ${finding.ratio} times`);
  return finding;
}

function once(taken: number): Latency {
  return { p50: taken, p99: taken };
}

function describe(
  name: string,
  { many, base }: { readonly many: number; readonly base: number },
  [full, few]: [Latency, Latency],
): Finding {
  const ratio = full.p50 / few.p50;
  return {
    what: `${name} at ${thousands(many)}: p50`,
    measured: milliseconds(full.p50),
    baseline: `${milliseconds(few.p50)} at ${thousands(base)}`,
    ratio: ratio.toFixed(2),
    goal: { text: `at most ${GOAL_RATIO}`, isMet: ratio <= GOAL_RATIO },
  };
}
