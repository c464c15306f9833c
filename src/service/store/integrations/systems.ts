import { type Kysely, sql } from 'kysely';
import { MAIN_SYSTEM } from '../../../contract/system.ts';
import { prepared } from '../../../database/prepared.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** The systems of senders, see `senderOf`. Those of the default one are left out. */
export async function findSystems(
  db: Kysely<ServiceTables>,
  senders: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (senders.length === 0) {
    return new Map();
  }
  const { rows } = await sql<{ id: string; system: string }>`
    ${prepared('find-systems')} select id, system from integrations
    where id = any(${senders}::text[]) and system <> ${MAIN_SYSTEM}
  `.execute(db);
  return new Map(rows.map(({ id, system }) => [id, system]));
}
