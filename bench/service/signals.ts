import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createSignalStore, type SignalFilter } from '../../src/service/store/signals/signal-store.ts';
import { insertSignals } from '../../test/support/service-rows.ts';
import { type Finding, milliseconds, thousands } from '../numbers.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { startServiceProcess } from '../service-process.ts';
import { compare, createReader, type Latency } from './reader.ts';

const DAYS = 20;
const HOUR_MS = 3_600_000;
const GOAL_RATIO = 3;
/** The goal applies from this count; with fewer signals, HTTP dominates the time. */
const GOAL_FROM_COUNT = 10_000_000;
const READS = { times: 500, limitMs: 10_000 };

/** Lengths of the queried time ranges, in hours. */
const RANGES = [1, 24];

/**
 * Measures `GET /signals` by service and time, compared with the same statements (the page and its total) sent directly
 * by the driver.
 */
export async function measureSignals(cluster: ScratchCluster, count: number): Promise<Finding[]> {
  const databaseUrl = await cluster.createDatabase('signals');
  await using service = await startServiceProcess(databaseUrl);
  const firstDay = await withConnection(databaseUrl, SERVICE_SCHEMA, async (client) => {
    await client.query('set synchronous_commit = off');
    const first = await insertSignals(client, count, DAYS, new Date());
    await client.query('vacuum analyze');
    return first;
  });
  await using reader = createReader(service);
  const pool = new Pool({ connectionString: databaseUrl, options: `-c search_path=${SERVICE_SCHEMA}`, max: 2 });
  pool.on('error', () => undefined); // the error also reaches the caller of the query
  try {
    const findings: Finding[] = [];
    for (const hours of RANGES) {
      const filters = createFilters(firstDay, hours);
      const statements = await Promise.all(filters.map((filter) => statementsOf(pool, filter)));
      let asked = 0;
      let sent = 0;
      const latencies = await compare(
        async () => {
          const filter = filters[asked++ % filters.length];
          await reader.read(`/signals?service=${filter?.service}&from=${iso(filter?.from)}&to=${iso(filter?.to)}`);
        },
        async () => {
          const both = statements[sent++ % statements.length] ?? [];
          await Promise.all(both.map(({ sql, parameters }) => pool.query(sql, [...parameters])));
        },
        READS,
      );
      const what = `GET /signals at ${thousands(count)}, service and ${hours} h`;
      findings.push(...describe(what, latencies, count >= GOAL_FROM_COUNT));
    }
    return findings;
  } finally {
    await pool.end();
  }
}

type Ask = SignalFilter & { readonly service: string; readonly from: Date; readonly to: Date };

/** Filters spread over services and time. */
function createFilters(firstDay: Date, hours: number): Ask[] {
  return Array.from({ length: 50 }, (_, index) => {
    const from = new Date(firstDay.getTime() + ((index * 37) % (DAYS * 24 - hours)) * HOUR_MS);
    return { service: `service-${(index * 7) % 60}`, from, to: new Date(from.getTime() + hours * HOUR_MS) };
  });
}

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The statements that the store sends for such a page. */
async function statementsOf(pool: Pool, filter: SignalFilter): Promise<Statement[]> {
  const sent: Statement[] = [];
  const db = new Kysely<ServiceTables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      sent.push(query);
    },
  });
  await createSignalStore(db).list(filter, { limit: 50, offset: 0 });
  return sent;
}

function iso(at: Date | undefined): string {
  return at?.toISOString() ?? '';
}

function describe(what: string, [service, driver]: [Latency, Latency], hasGoal: boolean): Finding[] {
  return (['p50', 'p99'] as const).map((part) => ({
    what: `${what}: ${part}`,
    measured: milliseconds(service[part]),
    baseline: `${milliseconds(driver[part])} driver alone`,
    ratio: (service[part] / driver[part]).toFixed(2),
    goal:
      hasGoal && part === 'p99'
        ? { text: `ratio under ${GOAL_RATIO}`, isMet: service[part] / driver[part] < GOAL_RATIO }
        : null,
  }));
}
