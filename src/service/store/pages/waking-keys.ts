import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ServiceTables } from '../schema/tables.ts';

/** The keys of this installation. They are made once: with other ones, every browser would have to subscribe again. */
export interface WakingKeys {
  readonly publicKey: string;
  readonly privateKey: string;
  readonly answerSecret: Buffer;
}

/** @param generate a pair for VAPID (RFC 8292) */
export function createWakingKeys(
  db: Kysely<ServiceTables>,
  generate: () => Pick<WakingKeys, 'publicKey' | 'privateKey'>,
): () => Promise<WakingKeys> {
  let known: WakingKeys | null = null;

  async function read(): Promise<WakingKeys | null> {
    const row = await db.selectFrom('waking_keys').selectAll().executeTakeFirst();
    return row === undefined
      ? null
      : { publicKey: row.vapid_public, privateKey: row.vapid_private, answerSecret: row.answer_secret };
  }

  async function create(): Promise<WakingKeys> {
    const { publicKey, privateKey } = generate();
    const row = { vapid_public: publicKey, vapid_private: privateKey, answer_secret: randomBytes(32) };
    await db
      .insertInto('waking_keys')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return (await read()) ?? { publicKey, privateKey, answerSecret: row.answer_secret };
  }

  return async () => {
    known ??= (await read()) ?? (await create());
    return known;
  };
}
