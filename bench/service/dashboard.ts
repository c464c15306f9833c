import { Client as HttpClient } from 'undici';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { insertIncidents } from '../../test/support/service-rows.ts';
import { type Finding, milliseconds, thousands } from '../numbers.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';
import { compare, processorSeconds } from './reader.ts';

const FEW = 1_000;
const READS = { times: 200, limitMs: 12_000 };
const VIEWERS = 200;
const QUIET_MS = 20_000;

/** The pages: the list at many incidents, an incident of many signals, and viewers while nothing changes. */
export async function measureDashboard(cluster: ScratchCluster, many: number): Promise<Finding[]> {
  await using small = await startFilled(cluster, 'dashboard_few', FEW);
  await using large = await startFilled(cluster, 'dashboard_many', many);
  await using few = await createVisitor(small.service);
  await using full = await createVisitor(large.service);
  const findings: Finding[] = [];
  for (const query of ['', '?status=all', '?sort=newest', '?severity=critical&status=all']) {
    const path = `/incidents${query}`;
    const [one, other] = await compare(
      () => full.read(path),
      () => few.read(path),
      READS,
    );
    findings.push({
      what: `the page ${path} at ${thousands(many)}: p50`,
      measured: milliseconds(one.p50),
      baseline: `${milliseconds(other.p50)} at ${thousands(FEW)}`,
      ratio: (one.p50 / other.p50).toFixed(2),
      goal: { text: 'ratio at most 1.5', isMet: one.p50 / other.p50 <= 1.5 },
    });
  }
  const [heavy, light] = await compare(
    () => few.read('/incidents/1000'),
    () => few.read('/incidents/999'),
    READS,
  );
  findings.push({
    what: 'an incident of 10,000 signals: p50',
    measured: milliseconds(heavy.p50),
    baseline: `${milliseconds(light.p50)} with 10`,
    ratio: (heavy.p50 / light.p50).toFixed(2),
    goal: { text: 'ratio below 3', isMet: heavy.p50 / light.p50 < 3 },
  });
  return [...findings, await measureViewers(small.service, few)];
}

interface Filled extends AsyncDisposable {
  readonly service: ServiceProcess;
}

/** The last incident has 10,000 signals, the one before it ten. */
async function startFilled(cluster: ScratchCluster, name: string, count: number): Promise<Filled> {
  const databaseUrl = await cluster.createDatabase(name);
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startServiceProcess(databaseUrl));
  await withConnection(databaseUrl, SERVICE_SCHEMA, async (client) => {
    await insertIncidents(client, count, new Date());
    await client.query(
      `insert into signals (id, observed_at, received_at, last_seen_at, type, service, summary, severity, fingerprint,
        occurrences, incident_id, attributes, source, detail)
      select 'sig_' || lpad(to_hex(n), 26, '0'), at, at, at, 'log', 'payments', 'line ' || n || ' failed', 'error',
        'log|' || n, 1, (select id from incidents where number = case when n <= 10 then $1 - 1 else $1 end),
        '{}', '{}', '{"type": "log", "body": "failed"}'
      from (select n, now() - n * interval '1 second' as at from generate_series(1, 10010) as n) as moments`,
      [count],
    );
    await client.query('vacuum analyze');
  });
  const started = stack.move();
  return { service, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

interface Visitor extends AsyncDisposable {
  /** @param path below `/dashboard` */
  read(path: string): Promise<void>;
  /** Opens the stream of the list and reads it until it ends. */
  follow(): Promise<AsyncDisposable>;
}

async function createVisitor({ baseUrl, key }: ServiceProcess): Promise<Visitor> {
  const { origin } = new URL(baseUrl);
  const client = new HttpClient(origin);
  const signedIn = await client.request({
    method: 'POST',
    path: '/dashboard/sign-in',
    headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key }).toString(),
  });
  await signedIn.body.dump();
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  return {
    async read(path) {
      const { statusCode, body } = await client.request({
        method: 'GET',
        path: `/dashboard${path}`,
        headers: { cookie },
      });
      const page = await body.text();
      if (statusCode !== 200) {
        throw new Error(`GET ${path} answered ${statusCode}: ${page}`);
      }
    },
    async follow() {
      const own = new HttpClient(origin, { bodyTimeout: 0 });
      const { body } = await own.request({ method: 'GET', path: '/dashboard/live/incidents', headers: { cookie } });
      body.on('error', () => undefined).resume();
      return {
        async [Symbol.asyncDispose]() {
          await own.destroy();
        },
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Processor time of the service while nothing changes, with viewers and without. */
async function measureViewers(service: ServiceProcess, visitor: Visitor): Promise<Finding> {
  const alone = await processorShare(service);
  await using viewers = new AsyncDisposableStack();
  for (let index = 0; index < VIEWERS; index += 1) {
    viewers.use(await visitor.follow());
  }
  const watched = await processorShare(service);
  const share = Math.max(0, watched - alone);
  return {
    what: `${VIEWERS} viewers while nothing changes: share of one core`,
    measured: `${(100 * watched).toFixed(1)} %`,
    baseline: `${(100 * alone).toFixed(1)} % without viewers`,
    ratio: `+${(100 * share).toFixed(1)} points`,
    goal: { text: 'less than 10 points', isMet: share < 0.1 },
  };
}

async function processorShare({ baseUrl }: ServiceProcess): Promise<number> {
  const before = await processorSeconds(baseUrl);
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  return ((await processorSeconds(baseUrl)) - before) / ((performance.now() - start) / 1_000);
}
