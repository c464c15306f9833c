import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Migration } from 'kysely/migration';
import { expect, it } from 'vitest';
import { migrations as botMigrations } from '../../src/bot/store/migrations.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';

/** What a version that still runs may not survive; see docs/decisions/0020. */
const TAKES_AWAY = /\bdrop (?:table|column|view|function)\b|\brename\b|\bset not null\b|\balter column \S+ type\b/i;

/** The statements of a migration, which are not run. */
async function statementsOf(migration: Migration): Promise<string> {
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

it.each([
  ['service', serviceMigrations],
  ['bot', botMigrations],
])(
  'takes nothing away from a version of the %s that runs beside, except in migrations that say so',
  async (_part, all) => {
    const [, ...later] = Object.entries(all); // the first one creates everything
    const expanding = later.filter(([name]) => !/^\d+-contract-/.test(name));

    const statements = await Promise.all(expanding.map(async ([, migration]) => await statementsOf(migration)));

    expect(statements.filter((text) => text === '' || TAKES_AWAY.test(text))).toEqual([]);
  },
);
