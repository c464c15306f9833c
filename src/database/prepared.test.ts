import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { silentLogger } from '../../test/support/logger.ts';
import { openDatabase } from './database.ts';
import { prepared } from './prepared.ts';

/** Runs two marked statements several times. @returns the statements that the server has prepared */
async function preparedBy(query: string): Promise<string[]> {
  await using test = await createTestDatabase();
  const url = `${test.url}${test.url.includes('?') ? '&' : '?'}${query}`;
  await using database = await openDatabase({ url, dataDir: '', logger: silentLogger });
  const db = await database.open('sample', {});
  return await db.connection().execute(async (connection) => {
    for (const value of [1, 2, 3]) {
      await sql`${prepared('a-number')} select ${value}::integer as number`.execute(connection);
      await sql`${prepared('a-number')} select ${value}::integer + 1 as number`.execute(connection);
      await sql`select ${value}::integer as unmarked`.execute(connection);
    }
    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(connection);
    return rows.map(({ name }) => name);
  });
}

it('marked statements are prepared once per connection, each text under its own name', async () => {
  expect(await preparedBy('prepared_statements=true')).toEqual([
    expect.stringMatching(/^a-number-/),
    expect.stringMatching(/^a-number-/),
  ]);
});

it('no statement is prepared behind a pooler that does not support it', async () => {
  expect(await preparedBy('prepared_statements=false')).toEqual([]);
});
