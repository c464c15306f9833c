import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { keepEffects } from '../../../effects/new-effects.ts';
import type { CalendarSpan } from '../../core/turns/schedule.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { type Change, endCalendar, endSpans, lockSchedule, recordChange } from './schedule-store.ts';
import type { CalendarState } from './stored-schedule.ts';

export const CALENDAR_KIND = 'calendar';

/** A calendar that a schedule reads, with its last good copy. */
export interface StoredCalendar extends CalendarState {
  readonly etag: string | null;
  /** null: there was none. */
  readonly body: string | null;
  /** When its times were last computed; null: they are to be. */
  readonly expandedAt: Date | null;
}

/** What a copy says. */
export interface CalendarCopy extends Pick<StoredCalendar, 'etag' | 'unknown' | 'unread'> {
  readonly body: string;
  readonly spans: readonly CalendarSpan[];
}

export interface CalendarStore {
  /** null: the schedule reads none. */
  findCalendar(scheduleId: string): Promise<StoredCalendar | null>;
  /** @param url null: none any more. @throws {NotFoundError} */
  setCalendar(scheduleId: string, url: string | null, change: Change): Promise<void>;
  /** Reads it again as soon as it can. */
  reloadCalendar(scheduleId: string): Promise<void>;
  /**
   * Keeps a copy that differs. What was on call stays as it was; what is ahead is what the copy says.
   *
   * @returns false: the address has changed meanwhile
   */
  saveCopy(scheduleId: string, url: string, copy: CalendarCopy, now: Date): Promise<boolean>;
  /** It is at the address as it is known. */
  saveSame(scheduleId: string, url: string, now: Date): Promise<void>;
  saveFault(scheduleId: string, url: string, fault: string): Promise<void>;
}

export function createCalendarStore(db: Kysely<ServiceTables>): CalendarStore {
  return {
    async findCalendar(scheduleId) {
      const { rows } = await sql<StoredCalendar>`
        select url, etag, body, read_at as "readAt", expanded_at as "expandedAt", fault, unknown, unread
        from schedule_calendars where schedule_id = ${scheduleId}
      `.execute(db);
      return rows[0] ?? null;
    },

    setCalendar: (scheduleId, url, change) =>
      db.transaction().execute(async (tx) => {
        await lockSchedule(tx, scheduleId);
        await endCalendar(tx, scheduleId, change.now);
        if (url !== null) {
          await tx
            .insertInto('schedule_calendars')
            .values({ schedule_id: scheduleId, url, ...NOTHING_READ })
            .execute();
          await read(tx, scheduleId);
        }
        await recordChange(tx, url === null ? 'calendar-removed' : 'calendar-set', scheduleId, change, null);
      }),

    reloadCalendar: (scheduleId) =>
      db.transaction().execute(async (tx) => {
        const again = { expanded_at: null, etag: null };
        await tx.updateTable('schedule_calendars').set(again).where('schedule_id', '=', scheduleId).execute();
        await read(tx, scheduleId);
      }),

    saveCopy: (scheduleId, url, { etag, body, unknown, unread, spans }, now) =>
      db.transaction().execute(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('schedule_calendars')
          .set({ etag, body, unknown: [...unknown], unread, read_at: now, expanded_at: now, fault: null })
          .where('schedule_id', '=', scheduleId)
          .where('url', '=', url)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) {
          return false;
        }
        await endSpans(tx, scheduleId, now);
        await sql`
          insert into schedule_spans (schedule_id, starts_at, ends_at, person_id)
          select ${scheduleId}, greatest(span.from, ${now}), span.to, span.person
          from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb) as span("from" timestamptz, "to" timestamptz, person text)
          where span.to > ${now}
        `.execute(tx);
        return true;
      }),

    async saveSame(scheduleId, url, now) {
      await db
        .updateTable('schedule_calendars')
        .set({ read_at: now, fault: null })
        .where('schedule_id', '=', scheduleId)
        .where('url', '=', url)
        .execute();
    },

    async saveFault(scheduleId, url, fault) {
      await db
        .updateTable('schedule_calendars')
        .set({ fault })
        .where('schedule_id', '=', scheduleId)
        .where('url', '=', url)
        .execute();
    },
  };
}

const NOTHING_READ = { etag: null, body: null, read_at: null, expanded_at: null, fault: null, unknown: [], unread: 0 };

/** Also after a reading that is under way: that began with what was there before. */
async function read(tx: Transaction<ServiceTables>, scheduleId: string): Promise<void> {
  const effect = { kind: CALENDAR_KIND, subject: scheduleId, lane: scheduleId };
  await keepEffects(tx, [{ ...effect, data: { asked: randomUUID() }, replaces: true }]);
}
