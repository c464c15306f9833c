import { type Kysely, sql } from 'kysely';
import type { ReadinessCheck } from '../../contract/health.ts';
import type { Database } from '../../database/database.ts';
import { checkCorrelation } from './log/correlation-readiness.ts';
import type { ServiceTables } from './schema/tables.ts';
import { describeUnavailable } from './shared/unavailable.ts';

/** From then on, a delivery that waits is reported. */
const LATE_MINUTES = 5;

/** How long a result is reused. */
const MAX_AGE_MS = 1_000;

/** Checks that the database is reachable and has all migrations of this version, and reports what correlation left out. */
export function createReadiness(deps: {
  readonly database: Pick<Database, 'check'>;
  readonly db: Kysely<ServiceTables>;
  readonly migrations: readonly string[];
  readonly log: { check(): Promise<void> };
  readonly pulse: { problem(): Promise<string | null> };
  readonly webhooks: { longestWaitSeconds(): Promise<number> };
  readonly pages: { problem(): Promise<string | null> };
  readonly now: () => Date;
}): () => Promise<ReadinessCheck[]> {
  let known: { readonly at: number; readonly checks: Promise<ReadinessCheck[]> } | null = null;

  async function check(): Promise<ReadinessCheck[]> {
    try {
      await deps.database.check();
      const now = deps.now();
      const [schema, log, correlation, webhooks, pages] = [
        await checkSchema(),
        await checkLog(),
        await findCorrelation(now),
        await findLateWebhooks(),
        await findLatePages(),
      ];
      return [{ name: 'database', ready: true }, schema, ...log, ...correlation, ...webhooks, ...pages];
    } catch (error) {
      const detail = error instanceof Error ? error.message : 'the database cannot be reached';
      return [{ name: 'database', ready: false, detail }];
    }
  }

  /** Migrations run at the start, but a backup that is restored later may be older. */
  async function checkSchema(): Promise<ReadinessCheck> {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(deps.db);
    const done = new Set(rows.map(({ name }) => name));
    const missing = deps.migrations.filter((name) => !done.has(name));
    return missing.length === 0
      ? { name: 'schema', ready: true }
      : {
          name: 'schema',
          ready: false,
          detail: `the tables lack ${missing.join(', ')}: restart to bring them up to date`,
        };
  }

  /** Alerts and decisions of people are still accepted, and telemetry nowhere else, so the process stays ready. */
  async function checkLog(): Promise<ReadinessCheck[]> {
    try {
      await deps.log.check();
      return [];
    } catch (error) {
      return [{ name: 'log', ready: true, detail: describeUnavailable(error) }];
    }
  }

  /** Signals are accepted and kept meanwhile, so the process stays ready. */
  async function findCorrelation(now: Date): Promise<ReadinessCheck[]> {
    const detail = await deps.pulse.problem();
    return detail === null ? checkCorrelation(deps.db, now) : [{ name: 'correlation', ready: true, detail }];
  }

  async function findLateWebhooks(): Promise<ReadinessCheck[]> {
    const minutes = Math.floor((await deps.webhooks.longestWaitSeconds()) / 60);
    const detail = `the oldest delivery has waited for ${minutes} min: see the pages of the webhooks`;
    return minutes < LATE_MINUTES ? [] : [{ name: 'webhooks', ready: true, detail }];
  }

  /** Signals and acknowledgements are still accepted, so the process stays ready. */
  async function findLatePages(): Promise<ReadinessCheck[]> {
    const detail = await deps.pages.problem();
    return detail === null ? [] : [{ name: 'pages', ready: true, detail }];
  }

  return () => {
    const at = deps.now().getTime();
    if (known === null || at - known.at >= MAX_AGE_MS) {
      known = { at, checks: check() };
    }
    return known.checks;
  };
}
