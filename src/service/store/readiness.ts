import { type Kysely, sql } from 'kysely';
import type { ReadinessCheck } from '../../contract/health.ts';
import type { Database } from '../../database/database.ts';
import { checkCorrelation } from './log/correlation-readiness.ts';
import type { ServiceTables } from './schema/tables.ts';

/** How long a result is reused. */
const MAX_AGE_MS = 1_000;

/** Checks that the database is reachable and has all migrations of this version, and reports what correlation left out. */
export function createReadiness(deps: {
  readonly database: Pick<Database, 'check'>;
  readonly db: Kysely<ServiceTables>;
  readonly migrations: readonly string[];
  readonly now: () => Date;
}): () => Promise<ReadinessCheck[]> {
  let known: { readonly at: number; readonly checks: Promise<ReadinessCheck[]> } | null = null;

  async function check(): Promise<ReadinessCheck[]> {
    try {
      await deps.database.check();
      const now = deps.now();
      return [{ name: 'database', ready: true }, await checkSchema(), ...(await checkCorrelation(deps.db, now))];
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

  return () => {
    const at = deps.now().getTime();
    if (known === null || at - known.at >= MAX_AGE_MS) {
      known = { at, checks: check() };
    }
    return known.checks;
  };
}
