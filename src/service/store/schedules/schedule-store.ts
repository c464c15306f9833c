import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Actor } from '../../../contract/actor.ts';
import { ON_CALL_LIMITS, type SlackGroup } from '../../../contract/on-call.ts';
import { bringForward } from '../../../effects/new-effects.ts';
import {
  NotFoundError,
  ScheduleChangedError,
  ScheduleInUseError,
  ScheduleNameTakenError,
  TooManyOverridesError,
  TooManySchedulesError,
} from '../../core/errors.ts';
import { createId, findTimeOfId } from '../../core/ids.ts';
import type { ScheduleChange, ScheduleChangeType } from '../../core/schedule-change.ts';
import { applyEdit, type Edit, rotationOf } from '../../core/turns/edit.ts';
import { onCallAt } from '../../core/turns/on-call-at.ts';
import type { Layer, Override, PersonId } from '../../core/turns/schedule.ts';
import { withPeople } from '../../core/turns/with-people.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { GAPS_EFFECT } from './gap-effect.ts';
import { readSchedules, toOverride } from './schedule-rows.ts';
import type { StoredSchedule } from './stored-schedule.ts';

export interface NewOverride extends Omit<Override, 'id'> {
  readonly reason: string | null;
}

/** Who changes something, and when. */
export interface Change extends Actor {
  readonly now: Date;
}

/** Schedules. A change of one holds its row, so that none is lost, and is in its history. */
export interface ScheduleStore {
  /** With all that was: layers and overrides that have ended. null: there is none. A deleted one is found too. */
  readSchedule(id: string): Promise<StoredSchedule | null>;
  /** Those that are not deleted, by name, with what counts from a time on. */
  listSchedules(from: Date): Promise<StoredSchedule[]>;
  /** null: nobody, or there is no such schedule. */
  whoIsOnCall(scheduleId: string, at: Date): Promise<PersonId | null>;
  /** @throws {TooManySchedulesError} @throws {ScheduleNameTakenError} */
  create(edit: Edit, change: Change): Promise<StoredSchedule>;
  /**
   * @param isExpected whether the caller knows the schedule in this revision
   * @throws {NotFoundError} @throws {ScheduleChangedError} @throws {ScheduleNameTakenError}
   */
  update(id: string, edit: Edit, isExpected: (revision: number) => boolean, change: Change): Promise<StoredSchedule>;
  /** Ends its layers and overrides. What was stays. @throws {NotFoundError} @throws {ScheduleInUseError} */
  delete(id: string, change: Change): Promise<void>;
  /** @throws {NotFoundError} @throws {TooManyOverridesError} */
  createOverride(scheduleId: string, override: NewOverride, change: Change): Promise<Override>;
  /** One that has begun ends now; one that is ahead is removed. @throws {NotFoundError} */
  endOverride(id: string, change: Change): Promise<void>;
  /**
   * @param people of the lowest layer from their next hand-over on; null: they stay
   * @throws {NotFoundError}
   */
  setSlackGroup(
    id: string,
    group: SlackGroup | null,
    people: readonly PersonId[] | null,
    change: Change,
  ): Promise<StoredSchedule>;
  /** Newest first. */
  history(limit: number): Promise<ScheduleChange[]>;
}

type Tx = Transaction<ServiceTables>;

export function createScheduleStore(db: Kysely<ServiceTables>): ScheduleStore {
  const readSchedule = async (id: string) => (await readSchedules(db, { id }))[0] ?? null;
  return {
    readSchedule,
    listSchedules: (from) => readSchedules(db, { from }),

    async whoIsOnCall(scheduleId, at) {
      const schedule = await readSchedule(scheduleId);
      return schedule === null ? null : onCallAt(schedule, at);
    },

    create: (edit, change) =>
      db.transaction().execute(async (tx) => {
        const { now } = change;
        const id = createId('sched', now);
        const { name, timeZone } = edit;
        await demandFreeName(tx, name, id);
        const { rows } = await sql<{ count: string }>`select count(*) from schedules where gone_at is null`.execute(tx);
        if (Number(rows[0]?.count) >= ON_CALL_LIMITS.schedules) {
          throw new TooManySchedulesError(ON_CALL_LIMITS.schedules);
        }
        await tx.insertInto('schedules').values({ id, name, time_zone: timeZone, created_at: now }).execute();
        const created: StoredSchedule = {
          id,
          name,
          timeZone,
          layers: [],
          overrides: [],
          calendarState: null,
          revision: 1,
          createdAt: now,
          goneAt: null,
          slackGroup: null,
        };
        const schedule = applyEdit(created, edit, now, () => createId('layer', now));
        await saveLayers(tx, id, schedule.layers);
        await recordChange(tx, 'created', id, change, null);
        return schedule;
      }),

    update: (id, edit, isExpected, change) =>
      db.transaction().execute(async (tx) => {
        const { now } = change;
        const before = await lockSchedule(tx, id, isExpected);
        await demandFreeName(tx, edit.name, id);
        const after = applyEdit(before, edit, now, () => createId('layer', now));
        await saveLayers(tx, id, after.layers);
        await tx
          .updateTable('schedules')
          .set({ name: edit.name, time_zone: edit.timeZone })
          .where('id', '=', id)
          .execute();
        await recordChange(tx, 'edited', id, change, null);
        return { ...after, revision: before.revision + 1 };
      }),

    delete: (id, change) =>
      db.transaction().execute(async (tx) => {
        const { now } = change;
        const { name, timeZone, ...before } = await lockSchedule(tx, id);
        await demandUnused(tx, id);
        const after = applyEdit(
          { name, timeZone, ...before },
          { name, timeZone, layers: [], isAtOnce: true },
          now,
          () => '',
        );
        await saveLayers(tx, id, after.layers);
        await sql`delete from schedule_overrides where schedule_id = ${id} and starts_at >= ${now}`.execute(tx);
        await sql`update schedule_overrides set ends_at = ${now} where schedule_id = ${id} and ends_at > ${now}`.execute(
          tx,
        );
        await endCalendar(tx, id, now);
        await tx.deleteFrom('schedule_feeds').where('schedule_id', '=', id).execute();
        await tx.updateTable('schedules').set({ gone_at: now }).where('id', '=', id).execute();
        await recordChange(tx, 'deleted', id, change, null);
      }),

    setSlackGroup: (id, group, people, change) =>
      db.transaction().execute(async (tx) => {
        const { now } = change;
        const before = await lockSchedule(tx, id);
        const after =
          people === null
            ? before
            : applyEdit(before, withPeople(before, people, now), now, () => createId('layer', now));
        const stored = { ...after, slackGroup: group };
        if (isDeepStrictEqual(stored, before)) {
          return before;
        }
        await saveLayers(tx, id, after.layers);
        await tx
          .updateTable('schedules')
          .set({ slack_group: group === null ? null : JSON.stringify(group) })
          .where('id', '=', id)
          .execute();
        await recordChange(tx, 'edited', id, change, group === null ? null : `Slack user group ${group.id}`);
        return { ...stored, revision: before.revision + 1 };
      }),

    createOverride: (scheduleId, override, change) =>
      db.transaction().execute(async (tx) => {
        await lockSchedule(tx, scheduleId);
        const made = await insertOverride(tx, scheduleId, override, change);
        await recordChange(tx, 'override-made', scheduleId, change, textOf(override));
        return made;
      }),

    endOverride: (id, change) =>
      db.transaction().execute(async (tx) => {
        const { now } = change;
        const row =
          findTimeOfId('ovr', id) &&
          (await tx.selectFrom('schedule_overrides').selectAll().where('id', '=', id).executeTakeFirst());
        if (!row) {
          throw new NotFoundError('override', id);
        }
        await lockSchedule(tx, row.schedule_id);
        if (!(await endOverrideNow(tx, id, now))) {
          throw new NotFoundError('override', id);
        }
        await recordChange(tx, 'override-ended', row.schedule_id, change, null);
      }),

    async history(limit) {
      const { rows } = await sql<ScheduleChange>`
        select occurred_at as at, type, schedule_id as "scheduleId", schedules.name, actor as by, text
        from schedule_changes join schedules on schedules.id = schedule_id
        order by schedule_changes.id desc limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

/**
 * Holds the schedule until the end of the transaction.
 *
 * @param isExpected whether the caller knows what it changes; absent: it need not
 */
export async function lockSchedule(
  tx: Tx,
  id: string,
  isExpected: (revision: number) => boolean = () => true,
): Promise<StoredSchedule> {
  if (findTimeOfId('sched', id) === null) {
    throw new NotFoundError('schedule', id);
  }
  await sql`select from schedules where id = ${id} for update`.execute(tx);
  const [schedule] = await readSchedules(tx, { id });
  if (schedule === undefined || schedule.goneAt !== null) {
    throw new NotFoundError('schedule', id);
  }
  if (!isExpected(schedule.revision)) {
    throw new ScheduleChangedError();
  }
  return schedule;
}

/** @throws {TooManyOverridesError} */
export async function insertOverride(
  tx: Tx,
  scheduleId: string,
  { from, to, person, replaces, reason }: NewOverride,
  { by, byId, now }: Change,
): Promise<Override> {
  const { rows } = await sql<{ count: string }>`
    select count(*) from schedule_overrides where schedule_id = ${scheduleId} and ends_at > ${now}
  `.execute(tx);
  if (Number(rows[0]?.count) >= ON_CALL_LIMITS.futureOverrides) {
    throw new TooManyOverridesError(ON_CALL_LIMITS.futureOverrides);
  }
  const row = await tx
    .insertInto('schedule_overrides')
    .values({
      id: createId('ovr', now),
      schedule_id: scheduleId,
      starts_at: from > now ? from : now,
      ends_at: to,
      person_id: person,
      replaces,
      reason,
      created_by: by,
      created_by_id: byId ?? null,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toOverride(row);
}

/** One that has begun ends now; one that is ahead is removed. @returns false: it has ended */
export async function endOverrideNow(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { rows: removed } = await sql`
    delete from schedule_overrides where id = ${id} and starts_at >= ${now} returning id`.execute(tx);
  const { rows: ended } = await sql`
    update schedule_overrides set ends_at = ${now} where id = ${id} and ends_at > ${now} returning id`.execute(tx);
  return removed.length + ended.length > 0;
}

/** Writes the history, and counts the change. */
export async function recordChange(
  tx: Tx,
  type: ScheduleChangeType,
  id: string,
  { by, byId, now }: Change,
  text: string | null,
) {
  await tx
    .insertInto('schedule_changes')
    .values({ schedule_id: id, type, actor: by, actor_id: byId ?? null, text, occurred_at: now })
    .execute();
  if (type !== 'created') {
    await bringForward(tx, GAPS_EFFECT);
    await sql`update schedules set revision = revision + 1 where id = ${id}`.execute(tx);
  }
}

async function saveLayers(tx: Tx, scheduleId: string, layers: readonly Layer[]): Promise<void> {
  await tx.deleteFrom('schedule_layers').where('schedule_id', '=', scheduleId).execute();
  if (layers.length > 0) {
    const rows = layers.map((layer, position) => ({
      id: layer.id,
      schedule_id: scheduleId,
      position,
      rotation: JSON.stringify(rotationOf(layer)),
      valid_from: layer.validFrom,
      valid_until: layer.validUntil,
    }));
    await tx.insertInto('schedule_layers').values(rows).execute();
  }
}

/** What it said until now stays. */
export async function endCalendar(tx: Tx, scheduleId: string, now: Date): Promise<void> {
  await tx.deleteFrom('schedule_calendars').where('schedule_id', '=', scheduleId).execute();
  await endSpans(tx, scheduleId, now);
}

export async function endSpans(tx: Tx, scheduleId: string, now: Date): Promise<void> {
  await sql`delete from schedule_spans where schedule_id = ${scheduleId} and starts_at >= ${now}`.execute(tx);
  await sql`
    update schedule_spans set ends_at = ${now} where schedule_id = ${scheduleId} and ends_at > ${now}
  `.execute(tx);
}

/** Without its schedule a policy would wake nobody, and nobody would notice. No policy changes until the end of the transaction. */
async function demandUnused(tx: Tx, id: string): Promise<void> {
  await sql`lock table policies in share mode`.execute(tx);
  const { rows } = await sql<{ name: string }>`
    select name from policies where jsonb_path_exists(plan, '$.** ? (@.kind == "schedule" && @.id == $id)', ${{ id }}::jsonb)
    order by position
  `.execute(tx);
  if (rows.length > 0) {
    throw new ScheduleInUseError(rows.map(({ name }) => name));
  }
}

/** No other transaction can make a schedule or give one a name until the end of this one. */
async function demandFreeName(tx: Tx, name: string, id: string): Promise<void> {
  await sql`lock table schedules in share row exclusive mode`.execute(tx);
  const { rows } = await sql`
    select from schedules where lower(name) = lower(${name}) and gone_at is null and id <> ${id}
  `.execute(tx);
  if (rows.length > 0) {
    throw new ScheduleNameTakenError(name);
  }
}

function textOf({ from, to, reason }: NewOverride): string {
  const times = `${from.toISOString().slice(0, 16)} to ${to.toISOString().slice(0, 16)} UTC`;
  return reason === null ? times : `${times}: ${reason}`;
}
