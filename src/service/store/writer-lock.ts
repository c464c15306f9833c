import { sql, type Transaction } from 'kysely';
import type { ServiceTables } from './tables.ts';

/** Any number, always the same one: it names the lock among all users of the database. */
const WRITERS = 7_405_516_002;

/** Until the transaction ends no other process writes signals or forms incidents. */
export async function lockWriters(tx: Transaction<ServiceTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${WRITERS}::bigint)`.execute(tx);
}
