import { type Selectable, sql, type Transaction } from 'kysely';
import type { Mute } from '../../../contract/mute.ts';
import { nextTime } from '../../../incident/repetition.ts';
import type { MutePlansTable } from '../schema/incident-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';

export type MutePlan = Selectable<MutePlansTable>;

/** Replaces the plan of the same target, value and start. */
export async function savePlan(tx: Transaction<ServiceTables>, plan: MutePlan): Promise<void> {
  await tx
    .insertInto('mute_plans')
    .values(plan)
    .onConflict((conflict) => conflict.columns(['target', 'value', 'starts_at']).doUpdateSet(plan))
    .execute();
}

/** Locks a plan whose time has come. @returns null: another process has taken it, or a person has removed it */
export async function lockDuePlan(tx: Transaction<ServiceTables>, id: string, now: Date): Promise<MutePlan | null> {
  const { rows } = await sql<MutePlan>`
    select * from mute_plans where id = ${id} and starts_at <= ${now} for update
  `.execute(tx);
  return rows[0] ?? null;
}

/** Moves a plan to its next time, or removes it. */
export async function advancePlan(tx: Transaction<ServiceTables>, plan: MutePlan, now: Date): Promise<void> {
  const { starts_at: startsAt, until, repeat: every, time_zone: timeZone, first_starts_at, first_until } = plan;
  const first =
    first_starts_at === null || first_until === null ? null : { startsAt: first_starts_at, until: first_until };
  const next = nextTime({ startsAt, until, every, timeZone, first }, now);
  await tx.deleteFrom('mute_plans').where('id', '=', plan.id).execute();
  if (next !== null) {
    const { first: origin } = next;
    await savePlan(tx, {
      ...plan,
      starts_at: next.startsAt,
      until: next.until,
      first_starts_at: origin.startsAt,
      first_until: origin.until,
    });
  }
}

export function presentPlan(plan: MutePlan): Mute {
  return {
    id: plan.id,
    target: plan.target,
    value: plan.value,
    until: plan.until.toISOString(),
    starts_at: plan.starts_at.toISOString(),
    repeat: plan.repeat,
    time_zone: plan.time_zone,
    reason: plan.reason,
    created_by: plan.created_by,
    created_by_id: plan.created_by_id,
    created_at: plan.created_at.toISOString(),
  };
}
