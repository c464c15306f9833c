import { type Kysely, sql } from 'kysely';
import { CLOCK_NOW } from '../../../database/lease.ts';
import { keepEffects, type NewEffect } from '../../../effects/new-effects.ts';
import { createId } from '../../core/ids.ts';
import type { AttemptState } from '../../on-call/waking/attempts.ts';
import type { ServiceTables } from '../schema/tables.ts';
import type { StoredWay } from './way-store.ts';

/** Tests of single ways are attempts without a page. */

/** Those of a person in the last hour. */
export async function countTests(db: Kysely<ServiceTables>, personId: string): Promise<number> {
  const { rows } = await sql<{ tests: number }>`
    select count(*)::int as tests from page_attempts
    where person_id = ${personId} and page_id is null and due_at > ${CLOCK_NOW} - interval '1 hour'
  `.execute(db);
  return rows[0]?.tests ?? 0;
}

/** @param isCounted its address is kept, so that it can be counted what is sent there. @returns the id of the attempt */
export async function beginTest(
  db: Kysely<ServiceTables>,
  { id: wayId, personId, kind, address }: Pick<StoredWay, 'id' | 'personId' | 'kind' | 'address'>,
  isCounted: boolean,
  now: Date,
): Promise<string> {
  const id = createId('attempt', now);
  await sql`
    insert into page_attempts (id, cycle, step, person_id, way_id, kind, address, state, due_at, began_at)
    values (${id}, 0, 0, ${personId}, ${wayId}, ${kind}, ${isCounted ? JSON.stringify(address) : null}, 'sending', ${CLOCK_NOW}, ${CLOCK_NOW})
  `.execute(db);
  return id;
}

/** What became of the call of a test. */
interface TestEnd {
  /** `sending`: its provider tells later what becomes of it. */
  readonly state: 'sending' | 'accepted' | 'failed';
  /** Why nothing was sent; null: it was. */
  readonly fault: string | null;
  /** The address does not exist any more. */
  readonly isGone: boolean;
  /** What the provider knows it by. */
  readonly reference: string | null;
  readonly follow: readonly NewEffect[];
}

/** What became of the last test of a way. */
export interface LastTest {
  readonly at: Date;
  readonly state: AttemptState;
  /** Why it failed; null: it did not. */
  readonly detail: string | null;
}

/** By the id of the way. A way is left out if it was not tested in the last weeks. */
export async function readLastTests(
  db: Kysely<ServiceTables>,
  wayIds: readonly string[],
): Promise<ReadonlyMap<string, LastTest>> {
  const { rows } = await sql<LastTest & { wayId: string }>`
    select distinct on (way_id) way_id as "wayId", began_at as at, state, detail from page_attempts
    where way_id = any(${[...wayIds]}::text[]) and page_id is null order by way_id, began_at desc, id desc
  `.execute(db);
  return new Map(rows.map(({ wayId, ...test }) => [wayId, test]));
}

export async function endTest(db: Kysely<ServiceTables>, id: string, end: TestEnd): Promise<void> {
  const { state, fault, isGone, reference, follow } = end;
  await db.transaction().execute(async (tx) => {
    await sql`
      with ended as (
        update page_attempts set state = ${state}, detail = ${fault}, reference = ${reference},
          settled_at = case when ${state !== 'sending'} then ${CLOCK_NOW} end
        where id = ${id} and state = 'sending' returning way_id
      )
      update ways set unusable_because = ${isGone ? fault : null} from ended
      where ways.id = way_id and ${isGone || fault === null} -- what was not sent says nothing of the address
    `.execute(tx);
    await keepEffects(tx, follow);
  });
}
