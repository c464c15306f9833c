import { type Kysely, sql, type Transaction } from 'kysely';
import type { Actor } from '../../../contract/actor.ts';
import type { Mute, MuteTarget } from '../../../contract/mute.ts';
import { IncidentClosedError, TooManyMutesError } from '../../core/errors.ts';
import { createId, findTimeOfId } from '../../core/ids.ts';
import { patternsOf, readMuteLabels } from '../../core/mute-labels.ts';
import type { MuteTime } from '../../core/mute-time.ts';
import { isReference, matches } from '../incidents/incident-reference.ts';
import { toMute } from '../incidents/incident-row.ts';
import type { MutesTable } from '../schema/incident-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { advancePlan, lockDuePlan, type MutePlan, presentPlan, savePlan } from './mute-plans.ts';
import { notifyIncidents } from './notify-incidents.ts';

type Tx = Transaction<ServiceTables>;

/** Mutes at the same time, with those that start later. */
export const MAX_MUTES = 500;

export interface NewMute extends MuteTime {
  readonly target: MuteTarget;
  /** Id or number of the incident, id of the integration, name of the service, or labels as `readMuteLabels` reads them. */
  readonly value: string;
  readonly reason: string | null;
  readonly actor: Actor;
}

/** What a mute has that starts now and does not repeat. */
export const FROM_NOW_ONCE = { startsAt: null, repeat: null, timeZone: 'UTC' } as const;

/**
 * Mutes. They end by their time, so nothing has to run for that. The beginning and the end of one write the timeline and
 * an event of each open incident that it applies to, in the same transaction.
 */
export interface MuteStore {
  /** Those that have not ended, the one that ends first first; then those that start later, by their start. */
  list(now: Date): Promise<Mute[]>;
  /**
   * Replaces the mute of the same target and value, or the plan of the same target, value and start. One that repeats is a
   * mute while it lasts, and a plan for its next time.
   *
   * @returns null: there is no such incident or integration, or the value is not labels
   * @throws {IncidentClosedError}
   * @throws {TooManyMutesError}
   */
  create(mute: NewMute, now: Date): Promise<Mute | null>;
  /** @returns false: there is no such mute */
  delete(id: string, actor: Actor, now: Date): Promise<boolean>;
  /** Begins the mutes whose time has come, removes those that have ended, and notifies their incidents. */
  keepTime(now: Date): Promise<void>;
}

export function createMuteStore(db: Kysely<ServiceTables>): MuteStore {
  return {
    async list(now) {
      const mutes = await db.selectFrom('mutes').selectAll().where('until', '>', now).orderBy('until').execute();
      const plans = await db.selectFrom('mute_plans').selectAll().orderBy('starts_at').execute();
      return [...mutes.map(toMute), ...plans.map(presentPlan)];
    },

    create: ({ target, value: reference, startsAt, until, repeat, timeZone, reason, actor }, now) =>
      db.transaction().execute(async (tx) => {
        const value = await findValue(tx, target, reference);
        if (value === null) {
          return null;
        }
        const start = startsAt !== null && startsAt > now ? startsAt : now;
        await demandRoom(tx, { target, value, start }, now);
        const mute = {
          id: createId('mut', now),
          target,
          value,
          until,
          reason,
          created_by: actor.by,
          created_by_id: actor.byId ?? null,
          created_at: now,
        };
        const first = { first_starts_at: null, first_until: null };
        const plan: MutePlan = { ...mute, ...first, starts_at: start, repeat, time_zone: timeZone };
        if (start > now) {
          await savePlan(tx, plan);
          return presentPlan(plan);
        }
        if (repeat !== null) {
          await advancePlan(tx, { ...plan, id: createId('mut', now) }, now);
        }
        return begin(tx, mute, now);
      }),

    delete: (id, actor, now) =>
      db.transaction().execute(async (tx) => {
        if (findTimeOfId('mut', id) === null) {
          return false;
        }
        const row = await tx
          .deleteFrom('mutes')
          .where('id', '=', id)
          .where('until', '>', now)
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined) {
          await notifyIncidents(tx, row, { at: now, event: 'unmuted', ...actor, text: null });
          return true;
        }
        const plan = await tx.deleteFrom('mute_plans').where('id', '=', id).returning('id').executeTakeFirst();
        return plan !== undefined;
      }),

    async keepTime(now) {
      const due = await db.selectFrom('mute_plans').select('id').where('starts_at', '<=', now).execute();
      for (const { id } of due) {
        await db.transaction().execute((tx) => beginPlan(tx, id, now));
      }
      const ended = await db.selectFrom('mutes').select('id').where('until', '<=', now).orderBy('until').execute();
      for (const { id } of ended) {
        await db.transaction().execute((tx) => removeEnded(tx, id, now));
      }
    },
  };
}

/** It takes the place of the mute of the same target and value. */
async function begin(tx: Tx, mute: Omit<MutesTable, 'patterns'>, now: Date): Promise<Mute> {
  const row = { ...mute, patterns: mute.target === 'labels' ? patternsOf(mute.value.split(', ')) : null };
  const { target: _target, value: _value, ...changed } = row;
  await tx
    .insertInto('mutes')
    .values(row)
    .onConflict((conflict) => conflict.columns(['target', 'value']).doUpdateSet(changed))
    .execute();
  const text = `until ${row.until.toISOString()}${row.reason === null ? '' : `: ${row.reason}`}`;
  await notifyIncidents(tx, row, { at: now, event: 'muted', by: row.created_by, byId: row.created_by_id, text });
  return toMute(row);
}

/** A mute that already lasts longer stays as it is. */
async function beginPlan(tx: Tx, id: string, now: Date): Promise<void> {
  const plan = await lockDuePlan(tx, id, now);
  if (plan === null) {
    return;
  }
  await advancePlan(tx, plan, now);
  const { repeat, starts_at: _, time_zone: _zone, first_starts_at: _first, first_until: _end, ...mute } = plan;
  const { rows } = await sql`
    select from mutes where target = ${plan.target} and value = ${plan.value} and until >= ${plan.until}
  `.execute(tx);
  if (plan.until > now && rows.length === 0) {
    await begin(tx, { ...mute, ...(repeat !== null && { id: createId('mut', now) }), created_at: now }, now);
  }
}

async function removeEnded(tx: Tx, id: string, now: Date): Promise<void> {
  // Another process may have removed it, and a person may have replaced it.
  const row = await tx
    .deleteFrom('mutes')
    .where('id', '=', id)
    .where('until', '<=', now)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) {
    await notifyIncidents(tx, row, { at: now, event: 'unmuted', by: null, text: null });
  }
}

/** The value as it is stored. @returns null: there is no such incident or integration, or it is not labels */
async function findValue(tx: Tx, target: MuteTarget, reference: string): Promise<string | null> {
  switch (target) {
    case 'service':
      return reference;
    case 'labels':
      return readMuteLabels(reference)?.join(', ') ?? null;
    case 'incident': {
      if (!isReference(reference)) {
        return null;
      }
      const { rows } = await sql<{ id: string; closed_at: Date | null }>`
        select id, closed_at from incidents where ${matches(reference)}
      `.execute(tx);
      const [found] = rows;
      if (found?.closed_at) {
        throw new IncidentClosedError(found.id);
      }
      return found?.id ?? null;
    }
    case 'integration': {
      const found = await tx.selectFrom('integrations').select('id').where('id', '=', reference).executeTakeFirst();
      return found?.id ?? null;
    }
  }
}

/** What it replaces takes no room. */
async function demandRoom(
  tx: Tx,
  { target, value, start }: Pick<MutePlan, 'target' | 'value'> & { readonly start: Date },
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ others: string }>`
    select (select count(*) from mutes where ${start > now} or (target, value) <> (${target}, ${value}))
      + (select count(*) from mute_plans where (target, value, starts_at) <> (${target}, ${value}, ${start})) as others
  `.execute(tx);
  if (Number(rows[0]?.others) >= MAX_MUTES) {
    throw new TooManyMutesError(MAX_MUTES);
  }
}
