import { type Kysely, sql } from 'kysely';
import { CLOCK_NOW } from '../../../database/lease.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** What an attempt and earlier ones used of what costs money. */
interface Spending {
  /** Of its person in the last 24 hours. */
  readonly ofPerson: number;
  /** Of everybody in the last 24 hours. */
  readonly ofAll: number;
  /** Tests and codes to the same address in the last hour, whoever asked for them. 0: it is none. */
  readonly testsOfAddress: number;
}

/**
 * Counts an attempt whose call begins, and all before it. Those that begin at the same time count each other, so a limit is
 * never passed.
 *
 * @param kinds ways that cost money
 */
export async function readSpending(
  db: Kysely<ServiceTables>,
  attemptId: string,
  kinds: readonly string[],
): Promise<Spending> {
  const { rows } = await sql<Spending>`
    select count(*) filter (where spent.person_id = own.person_id)::int as "ofPerson", count(*)::int as "ofAll",
      count(*) filter (
        where own.page_id is null and spent.page_id is null and spent.address = own.address
          and spent.began_at > ${CLOCK_NOW} - interval '1 hour'
      )::int as "testsOfAddress"
    from page_attempts as own join page_attempts as spent
      on spent.kind = any(${[...kinds]}::text[]) and spent.began_at > ${CLOCK_NOW} - interval '24 hours'
        and (spent.doubts > 0 or spent.state <> 'failed')
    where own.id = ${attemptId}
  `.execute(db);
  return rows[0] ?? { ofPerson: 0, ofAll: 0, testsOfAddress: 0 };
}
