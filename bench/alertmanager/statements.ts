import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Finding } from '../numbers.ts';

const SAMPLE_EACH_MS = 20;

/** What a statement is for, by how it begins or what it names; the first that fits counts. */
const PURPOSES: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["reading incidents' signals", /^\s*with own as/i],
  ['giving signals their incident', /^\s*update signals\s+set incident_id/i],
  ['new signals', /^\s*insert into signals/i],
  ['ending signals', /^\s*update signals\s+set ended_at|^\s*select open\.\*/i],
  ['posted alerts', /posted_alerts/],
  ['the log of telemetry', /telemetry_log/],
  ['incidents and events', /\b(?:incidents|events)\b/],
];

/** Looks at what PostgreSQL runs, again and again. */
export interface StatementSamples extends AsyncDisposable {
  /** @returns the shares of what ran since the last call, the largest first */
  take(what: string): Finding;
}

/** @param databaseUrl of the database whose statements count */
export async function sampleStatements(databaseUrl: string): Promise<StatementSamples> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  let counts = new Map<string, number>();
  let isOver = false;

  async function look(): Promise<void> {
    const { rows } = await client.query<{ query: string }>(
      `select left(query, 2000) as query from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
    );
    for (const { query } of rows) {
      const [what = 'others'] = PURPOSES.find(([, pattern]) => pattern.test(query)) ?? [];
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
  }

  async function run(): Promise<void> {
    while (!isOver) {
      await look();
      await sleep(SAMPLE_EACH_MS);
    }
  }

  const running = run();
  return {
    take(what) {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const shares = [...counts]
        .toSorted(([, a], [, b]) => b - a)
        .map(([purpose, count]) => `${purpose} ${Math.round((100 * count) / total)} %`);
      counts = new Map();
      return { what, measured: shares.join(', '), baseline: '', ratio: '', goal: null };
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      await running;
      await client.end();
    },
  };
}
