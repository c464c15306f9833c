import { writeCursor } from '../../src/service/http/cursor.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { insertIncidents } from '../../test/support/service-rows.ts';
import { type Finding, milliseconds, thousands } from '../numbers.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';
import { compare, createReader, type Latency } from './reader.ts';

const FEW = 1_000;
const GOAL_RATIO = 1.5;
const READS = { times: 300, limitMs: 6_000 };

/**
 * No goal is set where the cost must grow: matches of a text must be counted, and the page of a single service requires
 * skipping the incidents of other services.
 */
const QUERIES: readonly { readonly name: string; readonly query: string; readonly hasGoal: boolean }[] = [
  { name: 'all', query: '', hasGoal: true },
  { name: 'status=open', query: '?status=open', hasGoal: true },
  { name: 'status=closed', query: '?status=closed', hasGoal: true },
  { name: 'service', query: '?service=service-7', hasGoal: false },
  { name: 'severity', query: '?severity=critical', hasGoal: true },
  { name: 'service, status=open', query: '?service=service-7&status=open', hasGoal: true },
  { name: 'q, rare', query: '?q=orders/999 ', hasGoal: false },
  { name: 'q, in most', query: '?q=fails', hasGoal: false },
];

/** Measures `GET /incidents` with several queries, at a thousand incidents and at many. */
export async function measureIncidents(cluster: ScratchCluster, many: number): Promise<Finding[]> {
  await using small = await startFilled(cluster, 'incidents_few', FEW);
  await using large = await startFilled(cluster, 'incidents_many', many);
  await using few = createReader(small.service);
  await using full = createReader(large.service);
  const findings: Finding[] = [];
  for (const { name, query, hasGoal } of QUERIES) {
    const path = `/incidents${query.replaceAll(' ', '%20')}`;
    const latencies = await compare(
      () => full.read(path),
      () => few.read(path),
      READS,
    );
    findings.push(...describe(name, many, latencies, hasGoal));
  }
  const latencies = await compare(
    () => full.read(`/incidents?cursor=${large.middle}`),
    () => few.read(`/incidents?cursor=${small.middle}`),
    READS,
  );
  findings.push(...describe('cursor in the middle', many, latencies, true));
  return findings;
}

interface Filled extends AsyncDisposable {
  readonly service: ServiceProcess;
  /** A cursor. */
  readonly middle: string;
}

async function startFilled(cluster: ScratchCluster, name: string, count: number): Promise<Filled> {
  const databaseUrl = await cluster.createDatabase(name);
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startServiceProcess(databaseUrl));
  const middle = await withConnection(databaseUrl, SERVICE_SCHEMA, async (client) => {
    await insertIncidents(client, count, new Date());
    await client.query('vacuum analyze');
    const { rows } = await client.query<{ id: string; at: Date }>(
      'select id, opened_at as at from incidents where number = (select max(number) / 2 from incidents)',
    );
    return rows[0] === undefined ? '' : writeCursor(rows[0]);
  });
  const started = stack.move();
  return { service, middle, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

function describe(name: string, many: number, [full, few]: [Latency, Latency], hasGoal: boolean): Finding[] {
  const ratio = full.p50 / few.p50;
  const goal = { text: `ratio at most ${GOAL_RATIO}`, isMet: ratio <= GOAL_RATIO };
  return (['p50', 'p99'] as const).map((part) => ({
    what: `GET /incidents at ${thousands(many)}, ${name}: ${part}`,
    measured: milliseconds(full[part]),
    baseline: `${milliseconds(few[part])} at ${thousands(FEW)}`,
    ratio: (full[part] / few[part]).toFixed(2),
    goal: hasGoal && part === 'p50' ? goal : null,
  }));
}
