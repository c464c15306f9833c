import { sql, type Transaction } from 'kysely';
import type { KnownPerson } from '../../core/known-person.ts';
import type { ServiceTables } from '../schema/tables.ts';

/** Where somebody is named by their id, besides plans of schedules and policies. A test holds that none is missing. */
export const COLUMNS_OF_PEOPLE = [
  ['ways', 'person_id'],
  ['page_attempts', 'person_id'],
  ['schedule_gaps', 'person_id'],
  ['schedule_overrides', 'person_id'],
  ['schedule_overrides', 'replaces'],
  ['schedule_spans', 'person_id'],
  ['schedule_swaps', 'asker'],
  ['schedule_swaps', 'taker'],
  ['schedule_swaps', 'offered_to'],
] as const;

/** Whether nothing that says who they are contradicts that two records are one person. */
export function maySame(one: KnownPerson, other: KnownPerson): boolean {
  const agree = (a: string | null, b: string | null) => a === null || b === null || a === b;
  return (
    agree(one.email, other.email) &&
    agree(one.slackUserId, other.slackUserId) &&
    agree(one.openIdSubject, other.openIdSubject)
  );
}

/**
 * Makes one person of two: schedules, swaps, ways, attempts and policies name the first one from now on. The record of the
 * other one stays as another id of the first, for whoever has noted it.
 */
export async function mergePeople(tx: Transaction<ServiceTables>, into: KnownPerson, from: KnownPerson): Promise<void> {
  const [kept, gone] = [into.id, from.id];
  await sql`select from schedules order by id for update`.execute(tx);
  await sql`
    update schedule_layers set rotation = replace(rotation::text, ${gone}, ${kept})::jsonb
    where rotation::text like ${`%${gone}%`}`.execute(tx);
  await sql`
    update policies set plan = replace(plan::text, ${gone}, ${kept})::jsonb where plan::text like ${`%${gone}%`}`.execute(
    tx,
  );
  // The way to an address that both have is the one that was proved.
  await sql`
    update ways set verified_at = coalesce(ways.verified_at, same.verified_at),
      last_answered_at = greatest(ways.last_answered_at, same.last_answered_at)
    from ways as same
    where ways.person_id = ${kept} and same.person_id = ${gone}
      and same.kind = ways.kind and same.address = ways.address`.execute(tx);
  await sql`
    delete from ways where person_id = ${gone}
      and exists (select from ways as same where person_id = ${kept} and same.kind = ways.kind and same.address = ways.address)
  `.execute(tx);
  for (const [table, column] of COLUMNS_OF_PEOPLE) {
    await sql`update ${sql.ref(table)} set ${sql.ref(column)} = ${kept} where ${sql.ref(column)} = ${gone}`.execute(tx);
  }
  await sql`
    update people set merged_into = ${kept}, email = null, slack_user_id = null, openid_subject = null
    where id = ${gone} or merged_into = ${gone}`.execute(tx);
  await sql`
    update people set email = coalesce(email, ${from.email}), slack_user_id = coalesce(slack_user_id, ${from.slackUserId}),
      openid_subject = coalesce(openid_subject, ${from.openIdSubject}), time_zone = coalesce(time_zone, ${from.timeZone}),
      quiet_from = coalesce(quiet_from, ${from.quietHours?.from ?? null}),
      quiet_until = coalesce(quiet_until, ${from.quietHours?.until ?? null}),
      gone_at = case when ${from.goneAt}::timestamptz is not null then gone_at end
    where id = ${kept}`.execute(tx);
}
