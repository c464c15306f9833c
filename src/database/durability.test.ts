import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { WITHOUT_FLUSH } from './durability.ts';

it('a transaction does not wait for the disk, and the next one on the same connection does', async () => {
  await using database = await createTestDatabase();
  const db = await database.open('durability', {});
  const setting = sql<{ value: string }>`select current_setting('synchronous_commit') as value`;

  const values = await db.connection().execute(async (connection) => {
    const during = await connection.transaction().execute(async (tx) => {
      await sql`select where ${WITHOUT_FLUSH}`.execute(tx);
      return setting.execute(tx);
    });
    const afterwards = await setting.execute(connection);
    return [...during.rows, ...afterwards.rows].map(({ value }) => value);
  });

  expect(values).toEqual(['off', 'on']);
});
