import { Kysely, PostgresDialect, sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { createPlainPool } from '../../test/support/plain-pool.ts';
import { DatabaseStartError } from './errors.ts';
import { type Migrations, migrate } from './migrate.ts';

const run = (...texts: readonly string[]) => ({
  async up(db: Kysely<unknown>) {
    for (const text of texts) {
      await sql.raw(text).execute(db);
    }
  },
});
const FIRST = 'create table note (text text, author text)';
const NOTES: Migrations = { '0001-notes': run(FIRST) };
const SECOND: Migrations = { '0002-more': run('create table more (text text)') };

async function tablesOf(database: TestDatabase): Promise<string[]> {
  const client = await database.connect();
  const { rows } = await client.query(`select table_name as name from information_schema.tables
    where table_schema like 'part%' and table_name not like 'kysely%' order by 1`);
  await client.end();
  return rows.map(({ name }) => name);
}

it('refuses a migration whose text was edited after it ran, before anything is changed', async () => {
  await using database = await createTestDatabase();
  await database.open('part', NOTES);

  const edited = database.open('part', { '0001-notes': run(FIRST.replace('author', 'writer')), ...SECOND });

  await expect(edited).rejects.toThrow(DatabaseStartError);
  await expect(edited).rejects.toThrow(
    'the database schema part was made by a version of Tocsin whose migration 0001-notes is another one, so nothing was changed',
  );
  expect(await tablesOf(database)).toEqual(['note']);
});

it('takes the same text in another layout', async () => {
  await using database = await createTestDatabase();
  await database.open('part', NOTES);

  await database.open('part', { '0001-notes': run(FIRST.replaceAll(' ', '\n  ')), ...SECOND });

  expect(await tablesOf(database)).toEqual(['more', 'note']);
});

/** As a version left it that stored no fingerprints. */
async function openWithoutFingerprints(text: string): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const db = await database.open('part', { '0001-notes': run(text) });
  await sql`alter table kysely_migration drop column fingerprint`.execute(db);
  return database;
}

it('takes over a schema without fingerprints that is what its migrations make, and more', async () => {
  await using database = await openWithoutFingerprints(`${FIRST}; create table added (text text)`);

  await database.open('part', { ...NOTES, ...SECOND });
  const edited = database.open('part', { '0001-notes': run('select 1'), ...SECOND });

  await expect(edited).rejects.toThrow('whose migration 0001-notes is another one');
  expect(await tablesOf(database)).toEqual(['added', 'more', 'note']);
});

it('refuses a schema without fingerprints that is not what its migrations make', async () => {
  await using database = await openWithoutFingerprints('create table note (text integer)');

  await expect(database.open('part', { ...NOTES, ...SECOND })).rejects.toThrow(
    'the database schema part was made by an unreleased version of Tocsin (it lacks note.author, note.text), so nothing was changed',
  );

  expect(await tablesOf(database)).toEqual(['note']);
});

it('asks once where nothing is to be done', async () => {
  await using database = await createTestDatabase();
  await database.open('part', NOTES);
  const asked: string[] = [];
  const pool = createPlainPool(database.url, 'part');
  await using db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query.sql),
  });

  await migrate(db, 'part', NOTES, () => undefined);

  expect(asked).toHaveLength(1);
});
