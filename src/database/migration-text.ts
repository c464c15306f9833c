import { createHash } from 'node:crypto';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The statements of a migration, which are not run. */
export async function textOf(migration: Migration): Promise<string> {
  const statements: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (each) => new PostgresIntrospector(each),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log({ query }) {
      statements.push(query.sql);
    },
  });
  await migration.up(db);
  return statements.join(';\n');
}

/** Changes with what a migration does, not with how its text is laid out. */
export async function fingerprintOf(migration: Migration): Promise<string> {
  const text = (await textOf(migration)).replaceAll(/\s+/g, ' ').trim();
  return createHash('sha256').update(text).digest('hex');
}
