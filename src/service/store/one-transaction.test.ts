import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { inOneTransaction } from './one-transaction.ts';

interface Tables {
  readonly written: { readonly text: string };
}

async function withTable(test: (db: Kysely<Tables>) => Promise<void>): Promise<void> {
  await using database = await createTestDatabase();
  const db = await database.open<Tables>('public', {});
  await sql`create table written (text text not null unique)`.execute(db);
  await test(db);
}

const write = (db: Kysely<Tables>, text: string) => db.insertInto('written').values({ text }).execute();

const read = async (db: Kysely<Tables>) =>
  (await db.selectFrom('written').select('text').orderBy('text').execute()).map(({ text }) => text);

describe('one transaction', () => {
  it('stores what its parts and single statements do, also those that run at once, except a part that fails', () =>
    withTable(async (db) => {
      const seen = await inOneTransaction(db, async (joined) => {
        const part = (text: string, then?: Error) =>
          joined.transaction().execute(async (tx) => {
            await write(tx, text);
            await write(tx, `${text}, too`);
            if (then !== undefined) {
              throw then;
            }
          });
        const parts = await Promise.allSettled([
          part('one'),
          part('fails', new Error('no')),
          part('two'),
          write(joined, 'alone'),
        ]);
        expect(await read(db)).toEqual([]); // nobody else sees any of it before the end
        return parts.map(({ status }) => status);
      });

      expect(seen).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect(await read(db)).toEqual(['alone', 'one', 'one, too', 'two', 'two, too']);
    }));

  it('stores nothing if it fails at last', () =>
    withTable(async (db) => {
      const failed = inOneTransaction(db, async (joined) => {
        await joined.transaction().execute((tx) => write(tx, 'one'));
        throw new Error('no');
      });

      await expect(failed).rejects.toThrow('no');
      expect(await read(db)).toEqual([]);
    }));
});
