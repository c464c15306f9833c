import { Kysely, type LogEvent, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { createStore } from '../../src/bot/store.ts';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { type BotTeam, eventually, startBotTeam } from '../support/bot-team.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createPlainPool } from '../support/plain-pool.ts';

/** Closed incidents, each with a card, an action and an entry in the audit log. */
const CLOSED = 30_000;
/** What one statement may read of a table that grows: more than the names that a key stroke searches, and far below all. */
const MOST_READ = 8_000;
const GROWING = ['incidents', 'messages', 'actions', 'audit_log'];

/** A statement that has a plan; it may be marked as prepared. */
const PLANNED = /^\s*(\/\* prepared \S+ \*\/)?\s*(select|with|insert|update|delete)\b/;

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

let database: TestDatabase;
let pool: Pool;
/** The last statement of each text. */
const sent = new Map<string, LogEvent['query']>();

beforeAll(async () => {
  const plain = await createTestDatabase();
  await plain.open(BOT_SCHEMA, migrations);
  pool = createPlainPool(plain.url, BOT_SCHEMA);
  const log = ({ query }: LogEvent) => void sent.set(query.sql, query);
  const open = async <Tables>() => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log });
  database = { ...plain, open };
  await pool.query(A_YEAR, [CLOSED]);
  await pool.query('vacuum analyze');
});

afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

const A_YEAR = `
  with channel as (
    insert into channels (channel_id) values ('C0INCIDENT') returning channel_id
  ), closed as (
    insert into incidents (incident_id, number, snapshot, incident, is_open, is_acknowledged, root_service, opened_at,
      closed_at, as_of, first_signal_count)
    select 'old-' || n, n, shown, shown, false, false, 'service-' || n % 60, at, at + interval '5 minutes', at, 1
    from generate_series(1, $1::int) as n,
      lateral (select now() - interval '1 day' - n * interval '15 minutes') as times(at),
      lateral (select jsonb_build_object('id', 'old-' || n, 'number', n, 'status', 'closed', 'signal_count', 1,
        'root_service', 'service-' || n % 60, 'services', jsonb_build_array('service-' || n % 60), 'opened_at', at,
        'labels', jsonb_build_object('team', jsonb_build_array('team-' || n % 9)))) as facts(shown)
    returning incident_id, number, opened_at
  ), cards as (
    insert into messages (kind, channel_id, subject, ts, digest, needs_redraw, urgency, shown_at, created_at)
    select 'card', channel_id, incident_id, extract(epoch from opened_at)::numeric(16, 6)::text, 'd', false, 1, opened_at,
      opened_at
    from closed, channel
  ), entries as (
    insert into audit_log (at, action, incident_id, slack_user_id, outcome)
    select opened_at, 'resolve', incident_id, 'U0ANA00001', 'done' from closed
  )
  insert into actions (source, kind, incident_id, data, slack_user_id, user_name, origin, created_at, settled_at, outcome)
  select incident_id, 'resolve', incident_id, '{"note": "done", "asksFirst": false}', 'U0ANA00001', 'ana@example.com',
    'resolve', opened_at, opened_at, 'done' from closed`;

/** What a bot does all day, whoever asks for it. */
async function spendADay(team: BotTeam): Promise<void> {
  const ana = team.slack.as('ana');
  const id = team.service.openIncident({ service: 'payments' });
  const card = await team.card(/payments/);
  await ana.click(card, 'Acknowledge');
  await team.ephemeral('ana', /You acknowledged/);
  ana.openAppHome('home');
  await team.slack.waitFor(() => team.slack.homeView('ana'));
  await ana.command('incidents', '/incidents open');
  await ana.command('incidents', '/incidents health');
  await team.ephemeral('ana', /^Status/);
  await ana.command('incidents', `/incidents resolve ${id} rolled back`);
  await team.card(/payments\nClosed/);
  await team.bot.readiness();
  await team.metrics();
  await pool.query(`update channels set next_audit_at = clock_now() where channel_id = 'C0INCIDENT'`);
  await team.slack.waitFor(() => team.slack.calls.find(({ method }) => method === 'conversations.history'));
  const { serviceNames, labelNames, incidents } = await createStore(database);
  await Promise.all([serviceNames.matching('pay', 20), labelNames.matching('team', 20), labelNames.areReported()]);
  await incidents.since(new Date(Date.now() - 3_600_000));
  await eventually(() => [...sent.keys()].some((text) => text.includes('delete from people')));
}

/** Rows that a statement reads of each table. */
async function rowsRead({ sql, parameters }: LogEvent['query']): Promise<ReadonlyMap<string, number>> {
  const client = await pool.connect();
  await client.query('begin');
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${sql}`,
      [...parameters],
    );
    const read = new Map<string, number>();
    for (const node of rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan))) {
      const table = node['Relation Name'];
      if (table !== undefined && GROWING.includes(table)) {
        const perLoop =
          node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
        read.set(table, (read.get(table) ?? 0) + perLoop * node['Actual Loops']);
      }
    }
    return read;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

it('reads what is due, not what exists, in every statement that comes again and again', async () => {
  await using team = await startBotTeam({ database, retentionDays: 10_000 });
  await spendADay(team);
  await team.stopBot();

  const statements = [...sent.values()].filter(({ sql }) => PLANNED.test(sql));
  const greedy: string[] = [];
  const seen = new Set<string>();
  for (const statement of statements) {
    for (const [table, rows] of await rowsRead(statement)) {
      seen.add(table);
      if (rows > MOST_READ) {
        greedy.push(`${rows} rows of ${table}: ${statement.sql.replaceAll(/\s+/g, ' ').trim()}`);
      }
    }
  }

  expect(greedy).toEqual([]);
  expect([...seen].sort()).toEqual(GROWING.toSorted());
  expect(statements.length).toBeGreaterThan(50);
});
