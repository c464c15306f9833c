import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';

const NOTES = {
  '0001-notes': { up: (db: Kysely<unknown>) => db.schema.createTable('note').addColumn('text', 'text').execute() },
};

it('gives each part a schema of its own', async () => {
  await using database = await createTestDatabase();
  const one = await database.open<{ note: { text: string } }>('one', NOTES);
  const two = await database.open<{ note: { text: string } }>('two', NOTES);

  await one.insertInto('note').values({ text: 'mine' }).execute();

  expect(await one.selectFrom('note').selectAll().execute()).toEqual([{ text: 'mine' }]);
  expect(await two.selectFrom('note').selectAll().execute()).toEqual([]);
  expect((await sql<{ search_path: string }>`show search_path`.execute(two)).rows).toEqual([{ search_path: 'two' }]);
});
