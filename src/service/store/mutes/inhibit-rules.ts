import { sql, type Transaction } from 'kysely';
import type { InhibitRule } from '../../../contract/incoming-config.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** The rules of integrations, by their id. */
export async function findInhibitRules(
  tx: Transaction<ServiceTables>,
  integrations: readonly string[],
): Promise<ReadonlyMap<string, readonly InhibitRule[]>> {
  if (integrations.length === 0) {
    return new Map();
  }
  const { rows } = await sql<{ id: string; rules: readonly InhibitRule[] }>`
    select id, config -> 'inhibit' as rules from integrations
    where id = any(${integrations}::text[]) and config ? 'inhibit'
  `.execute(tx);
  return new Map(rows.map(({ id, rules }) => [id, rules]));
}
