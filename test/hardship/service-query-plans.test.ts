import { subDays } from 'date-fns/subDays';
import { Kysely, type LogEvent, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRealClock } from '../../src/runtime/clock.ts';
import { seenOnce } from '../../src/service/core/fold.ts';
import { measureCorrelation } from '../../src/service/correlation-metrics.ts';
import { createIntake } from '../../src/service/intake/intake.ts';
import { postgresLog } from '../../src/service/log/postgres-log.ts';
import { MOST_INCIDENTS } from '../../src/service/on-call/dry-run.ts';
import { createCorrelator } from '../../src/service/pipeline/correlator.ts';
import { createIncidentStore, type IncidentFilter } from '../../src/service/store/incidents/incident-store.ts';
import { findAsked, recordAnswer } from '../../src/service/store/pages/answers.ts';
import { createPageStore } from '../../src/service/store/pages/page-store.ts';
import { readHistories } from '../../src/service/store/pages/wake-history.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import type { PageRequest } from '../../src/service/store/shared/page.ts';
import { createSignalStore, type SignalFilter } from '../../src/service/store/signals/signal-store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { HANG_MS } from '../support/hang.ts';
import { silentLogger } from '../support/logger.ts';
import { createPlainPool } from '../support/plain-pool.ts';
import { insertIncidents, insertSignals } from '../support/service-rows.ts';
import { SETTLE_MS } from '../support/test-service.ts';

/** Larger tables must not be scanned sequentially. */
const BIG = 1_000;
const DAYS = 5;
const now = new Date();

/** A statement that has a plan; it may be marked as prepared. */
const PLANNED = /^\s*(\/\* prepared \S+ \*\/)?\s*(select|with|insert|update|delete)\b/;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

let database: TestDatabase;
let pool: Pool;
let db: Kysely<ServiceTables>;
let firstDay: Date;
let bigTables: ReadonlySet<string>;
/** Statements since the last call. */
let sent: LogEvent['query'][] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await database.open(SERVICE_SCHEMA, serviceMigrations);
  pool = createPlainPool(database.url, SERVICE_SCHEMA);
  const log = ({ query }: LogEvent) => {
    sent.push(query);
  };
  db = new Kysely({ dialect: new PostgresDialect({ pool }), log });
  const client = await pool.connect();
  await insertIncidents(client, 30_000, now);
  firstDay = await insertSignals(client, 100_000, DAYS, now);
  await client.query('vacuum analyze');
  const { rows } = await client.query<{ relname: string }>(
    `select relname from pg_class where relkind = 'r' and relnamespace = $1::regnamespace and reltuples > $2`,
    [SERVICE_SCHEMA, BIG],
  );
  client.release();
  bigTables = new Set(rows.map(({ relname }) => relname));
});

afterAll(async () => {
  await db.destroy();
  await database[Symbol.asyncDispose]();
});

/**
 * Plans of all statements that `work` sends.
 *
 * @param isSorting false: as for so many rows that sorting them takes too long, which is done only if no index has the order
 */
async function plansOf(work: () => Promise<unknown>, isSorting = true): Promise<PlanNode[]> {
  sent = [];
  await work();
  const plans: PlanNode[] = [];
  const client = await pool.connect();
  await client.query(`set enable_sort = ${isSorting}`);
  for (const { sql, parameters } of sent.filter(({ sql }) => PLANNED.test(sql))) {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (format json) ${sql}`, [
      ...parameters,
    ]);
    plans.push(...rows.map((row) => row['QUERY PLAN'][0].Plan));
  }
  await client.query('reset enable_sort');
  client.release();
  return plans;
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function readFromEndToEnd(plans: readonly PlanNode[], tables = bigTables): string[] {
  return plans
    .flatMap(nodesOf)
    .filter((node) => node['Node Type'] === 'Seq Scan' && tables.has(node['Relation Name'] ?? ''))
    .map((node) => node['Relation Name'] ?? '');
}

function tablesOf(plans: readonly PlanNode[]): string[] {
  const names = plans.flatMap(nodesOf).map((node) => node['Relation Name']);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** How many statements each transaction took that stored incidents, without its begin and commit. */
function statementsOfIncidents(): number[] {
  const transactions: string[][] = [];
  for (const { sql } of sent) {
    if (sql === 'begin') {
      transactions.push([]);
    } else {
      transactions.at(-1)?.push(sql);
    }
  }
  return transactions
    .filter((statements) => statements.some((text) => text.includes('insert into incidents ')))
    .map((statements) => statements.indexOf('commit'));
}

const hoursIn = (hours: number) => new Date(firstDay.getTime() + hours * 3_600_000);

it('knows which tables are big', () => {
  expect([...bigTables].map((name) => name.replace(/\d+$/, '')).sort()).toEqual([
    'incidents',
    ...Array.from({ length: DAYS }, () => 'signals_'),
  ]);
});

it('counts all incidents where a counter is kept, and up to 10,000 where what matches is counted', async () => {
  const incidents = createIncidentStore(db);
  const totalOf = async (filter: IncidentFilter) => {
    const { total, isTotalLowerBound } = await incidents.list(filter, { limit: 1, offset: 0 });
    return [total, isTotalLowerBound];
  };

  expect(await totalOf({ text: 'fails' })).toEqual([10_000, true]);
  expect(await totalOf({ labels: ['team:team-3'] })).toEqual([1_500, false]);
  expect(await totalOf({})).toEqual([30_000, false]);
});

describe('the list of incidents', () => {
  const filters: [string, () => IncidentFilter][] = [
    ['nothing', () => ({})],
    ['status=open', () => ({ status: 'open' })],
    ['status=closed', () => ({ status: 'closed' })],
    ['a service', () => ({ service: 'service-7' })],
    ['an unknown service', () => ({ service: 'nobody' })],
    ['a label', () => ({ labels: ['team:team-7'] })],
    ['labels of open ones', () => ({ status: 'open', labels: ['team:team-7', 'env:prod'] })],
    ['a severity', () => ({ severity: 'warning' })],
    ['acknowledged=true', () => ({ acknowledged: true })],
    ['acknowledged=false', () => ({ acknowledged: false })],
    ['opened_from and opened_to', () => ({ openedFrom: hoursIn(1), openedTo: hoursIn(2) })],
    ['q', () => ({ text: 'orders/4711' })],
    ['q that names a service', () => ({ text: 'service-59' })],
    ['several filters', () => ({ status: 'closed', service: 'service-7', severity: 'error', acknowledged: true })],
  ];

  it.each(filters)('scans no large table when filtered by %s', async (_name, filter) => {
    const plans = await plansOf(() => createIncidentStore(db).list(filter(), { limit: 50, offset: 0 }));

    expect(plans).toHaveLength(2);
    expect(tablesOf(plans)).toContain('incidents');
    expect(readFromEndToEnd(plans)).toEqual([]);
  });

  it('continues from a cursor with the index alone, without sorting', async () => {
    const after = { at: hoursIn(1), id: `inc_${'0'.repeat(26)}` };
    for (const filter of [{}, { status: 'closed' }] satisfies IncidentFilter[]) {
      const plans = await plansOf(() => createIncidentStore(db).list(filter, { limit: 50, offset: 0, after }));

      expect(readFromEndToEnd(plans)).toEqual([]);
      expect(plans.flatMap(nodesOf).map((node) => node['Node Type'])).not.toContain('Sort');
    }
  });

  it('scans no large table when open incidents are read by severity, and sorts no more of them than is cheap', async () => {
    const after = { at: now, id: `inc_${'0'.repeat(26)}`, severity: 'error' } as const;
    for (const page of [
      { limit: 50, offset: 0 },
      { limit: 50, offset: 0, after },
    ] satisfies PageRequest[]) {
      const list = () => createIncidentStore(db).list({ status: 'open' }, page, 'severity');
      const plans = await plansOf(list);
      const ofMany = (await plansOf(list, false)).flatMap(nodesOf);

      expect(tablesOf(plans)).toContain('incidents');
      expect(readFromEndToEnd(plans)).toEqual([]);
      expect(ofMany.map((node) => node['Index Name'])).toContain('incidents_urgent');
      expect(ofMany.filter((node) => node['Node Type'].endsWith('Sort'))).toEqual([]);
    }
  });

  it.each([
    ['id', `inc_${'0'.repeat(22)}00ff`],
    ['number', '255'],
  ])('is not read for one incident by its %s', async (_name, reference) => {
    expect(readFromEndToEnd(await plansOf(() => createIncidentStore(db).get(reference)))).toEqual([]);
  });

  it('is not scanned when an incident is acknowledged', async () => {
    const change = () =>
      createIncidentStore(db).update('255', (incident) => ({ ...incident, acknowledgement: { by: 'ben', at: now } }));

    expect(readFromEndToEnd(await plansOf(change))).toEqual([]);
  });
});

describe('the list of signals', () => {
  const list = (filter: SignalFilter, page: PageRequest = { limit: 50, offset: 0 }) =>
    plansOf(() => createSignalStore(db).list(filter, page));
  const nextDay = () => ({ from: hoursIn(25), to: hoursIn(26) });

  it.each<[string, () => SignalFilter]>([
    ['a service', () => ({ service: 'service-7' })],
    ['an incident', () => ({ incidentId: `inc_${'0'.repeat(24)}ff` })],
    ['a service and a time', () => ({ service: 'service-7', ...nextDay() })],
    ['a type and a time', () => ({ type: 'log', ...nextDay() })],
    ['a time', nextDay],
    ['q', () => ({ text: 'ORDERS/4711' })],
    ['q of an incident', () => ({ text: 'fails', incidentId: `inc_${'0'.repeat(24)}ff` })],
    ['all filters', () => ({ service: 'service-7', type: 'log', text: '/orders/1', ...nextDay() })],
  ])('scans no large table when filtered by %s', async (_name, filter) => {
    const plans = await list(filter());

    expect(plans).toHaveLength(2);
    expect(readFromEndToEnd(plans)).toEqual([]);
  });

  it('reads a page of a type, or of all signals, with the index', async () => {
    for (const filter of [{}, { type: 'metric' }] satisfies SignalFilter[]) {
      const [page] = await list(filter);

      expect(page && readFromEndToEnd([page])).toEqual([]);
    }
  });

  it.each<[string, () => SignalFilter]>([
    ['a time', nextDay],
    ['a service and a time', () => ({ service: 'service-7', ...nextDay() })],
  ])('looks only into the days of %s', async (_name, filter) => {
    const day = hoursIn(25).toISOString().slice(0, 10).replaceAll('-', '');

    expect(tablesOf(await list(filter()))).toEqual([`signals_${day}`]);
  });
});

it('reads the histories of a dry run by the index of the newest incidents', async () => {
  const plans = await plansOf(() => readHistories(db, subDays(now, 90), MOST_INCIDENTS));

  expect(tablesOf(plans)).toEqual(expect.arrayContaining(['incidents', 'wake_history']));
  expect(readFromEndToEnd(plans)).toEqual([]);
  const nodes = plans.flatMap(nodesOf);
  expect(nodes.map((node) => node['Index Name'])).toContain('incidents_newest');
});

it('scans no large table when signals are stored, join an incident and open one', async () => {
  let aheadMs = 0;
  const clock = createRealClock(() => new Date(now.getTime() + aheadMs));
  const deps = { db, log: postgresLog, logger: silentLogger, clock };
  await using correlator = createCorrelator({
    ...deps,
    source: database.source,
    runsIn: 'this thread', // plans of other connections are not seen
    events: measureCorrelation(new Registry(), () => undefined),
  });
  await using intake = createIntake({
    ...deps,
    signalRetentionDays: null,
    onAccepted: () => undefined,
    onAppended: () => correlator.kick(),
  });
  const signal = (service: string, name: string) => ({
    type: 'metric' as const,
    service,
    summary: `${name} fails`,
    severity: 'error' as const,
    ...seenOnce(now),
    fingerprint: `trace|${service}|${name}`,
    traceId: null,
    spanId: null,
    attributes: {},
    source: {},
    detail: { type: 'alert' as const, reportsEnd: false },
  });
  const signals = ['/a', '/b', '/c', '/d'].map((name) => signal('checkout', name));
  const isCorrelated = async () => {
    const { rows } = await pool.query<{ done: boolean }>(
      'select position >= (select coalesce(max(sequence), 0) from telemetry_log) and position > 0 as done from correlation',
    );
    return rows[0]?.done === true;
  };
  correlator.start();

  const plans = [];
  const statements = [];
  for (const batch of [signals, signals, [signal('checkout', '/e'), signal('service-7', '/f')]]) {
    const accepted = async () => {
      await intake.accept({ signals: batch });
      await vi.waitUntil(isCorrelated, { timeout: HANG_MS });
    };
    plans.push(...(await plansOf(accepted)));
    statements.push(statementsOfIncidents());
    aheadMs += SETTLE_MS;
  }

  const written = tablesOf(plans);
  for (const table of ['incidents', 'signals', 'telemetry_log', 'correlation', 'events']) {
    expect(written).toContain(table);
  }
  expect(readFromEndToEnd(plans)).toEqual([]);
  expect(Math.max(...statements.flat())).toBeLessThanOrEqual(12); // three of them are about whom to wake
});

it('finds who has answered a page by an index', async () => {
  const client = await pool.connect();
  await client.query(
    `insert into page_attempts (id, cycle, step, person_id, kind, state, due_at, began_at, listed)
    select 'attempt_' || n, 0, 0, 'person_' || n % 50, 'email', case when n % 3 = 0 then 'answered' else 'accepted' end,
      $1::timestamptz, clock_now(), array['page_' || n / 2]
    from generate_series(1, 30000) as n`,
    [now],
  );
  await client.query('vacuum analyze page_attempts');
  client.release();
  const pages = createPageStore(db);

  const found = await plansOf(() => pages.findAnswered('page_300'));
  const recorded = await plansOf(() =>
    db.transaction().execute(async (tx) => {
      const asked = await findAsked(tx, 'attempt_601');
      await (asked && recordAnswer(tx, asked, now));
    }),
  );

  expect(await pages.findAnswered('page_300')).toEqual(new Set(['person_0', 'person_1']));
  for (const plans of [found, recorded]) {
    expect(plans.flatMap(nodesOf).map((node) => node['Index Name'])).toContain('page_attempts_answered');
    expect(readFromEndToEnd(plans, new Set(['page_attempts']))).toEqual([]);
  }
});
