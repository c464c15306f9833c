import { type Kysely, type Selectable, sql } from 'kysely';
import type { Actor } from '../../../contract/actor.ts';
import { type PolicyPlan, WAKING_LIMITS } from '../../../contract/waking.ts';
import { PolicyNameTakenError, TooManyPoliciesError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { WakePolicy } from '../../on-call/waking/policy.ts';
import type { ServiceTables } from '../schema/tables.ts';
import type { PoliciesTable } from '../schema/waking-columns.ts';
import { toStorableJson } from '../shared/json.ts';
import { beginPage } from './follow-pages.ts';

export interface StoredPolicy extends WakePolicy {
  readonly changedAt: Date;
  readonly changedBy: Actor;
}

export interface PolicyStore {
  /** In the order in which they are tried. */
  list(): Promise<StoredPolicy[]>;
  find(id: string): Promise<StoredPolicy | null>;
  /** It comes after all others. @throws {TooManyPoliciesError} {PolicyNameTakenError} */
  create(plan: PolicyPlan, actor: Actor, now: Date): Promise<StoredPolicy>;
  /** Pages that have begun go on as they began. @returns null: there is none. @throws {PolicyNameTakenError} */
  replace(id: string, plan: PolicyPlan, actor: Actor, now: Date): Promise<StoredPolicy | null>;
  delete(id: string): Promise<boolean>;
  /** Runs a whole policy for no incident. @returns the id of the page */
  drill(policy: WakePolicy, now: Date): Promise<string>;
}

export function createPolicyStore(db: Kysely<ServiceTables>): PolicyStore {
  return {
    async list() {
      const rows = await db.selectFrom('policies').selectAll().orderBy('position').execute();
      return rows.map(toPolicy);
    },

    async find(id) {
      const row = await db.selectFrom('policies').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toPolicy(row);
    },

    create: (plan, actor, now) =>
      db.transaction().execute(async (tx) => {
        await sql`lock table policies in share row exclusive mode`.execute(tx);
        const { rows } = await sql<{ policies: number; isTaken: boolean }>`
          select count(*)::int as policies, coalesce(bool_or(name = ${plan.name}), false) as "isTaken" from policies
        `.execute(tx);
        if (rows[0]?.isTaken === true) {
          throw new PolicyNameTakenError(plan.name);
        }
        if ((rows[0]?.policies ?? 0) >= WAKING_LIMITS.policies) {
          throw new TooManyPoliciesError(WAKING_LIMITS.policies);
        }
        const row = await tx
          .insertInto('policies')
          .values({ id: createId('policy', now), created_at: now, ...toColumns(plan, actor, now) })
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPolicy(row);
      }),

    replace: (id, plan, actor, now) =>
      db.transaction().execute(async (tx) => {
        await sql`lock table policies in share row exclusive mode`.execute(tx);
        const { rows } = await sql<{ isKnown: boolean; isTaken: boolean }>`
          select coalesce(bool_or(id = ${id}), false) as "isKnown",
            coalesce(bool_or(name = ${plan.name} and id <> ${id}), false) as "isTaken"
          from policies
        `.execute(tx);
        if (rows[0]?.isKnown === true && rows[0].isTaken) {
          throw new PolicyNameTakenError(plan.name);
        }
        const row = await tx
          .updateTable('policies')
          .set(toColumns(plan, actor, now))
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        return row === undefined ? null : toPolicy(row);
      }),

    async delete(id) {
      const { numDeletedRows } = await db.deleteFrom('policies').where('id', '=', id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    drill: (policy, now) => db.transaction().execute((tx) => beginPage(tx, null, policy, now)),
  };
}

function toColumns(plan: PolicyPlan, actor: Actor, now: Date) {
  return {
    name: plan.name,
    plan: toStorableJson(plan),
    changed_at: now,
    changed_by: actor.by,
    changed_by_id: actor.byId ?? null,
  };
}

function toPolicy(row: Selectable<PoliciesTable>): StoredPolicy {
  return {
    ...row.plan,
    id: row.id,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    changedBy: { by: row.changed_by, byId: row.changed_by_id },
  };
}
