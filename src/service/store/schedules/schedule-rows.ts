import { type Kysely, type Selectable, sql } from 'kysely';
import type { CalendarSpan, Layer, Override } from '../../core/turns/schedule.ts';
import type {
  ScheduleLayersTable,
  ScheduleOverridesTable,
  ScheduleSpansTable,
  SchedulesTable,
} from '../schema/on-call-columns.ts';
import type { ServiceTables } from '../schema/tables.ts';
import type { CalendarState, StoredSchedule } from './stored-schedule.ts';

/** @param which one by its id, or all that are not deleted with what counts from a time on */
export async function readSchedules(
  db: Kysely<ServiceTables>,
  which: { readonly id: string } | { readonly from: Date },
): Promise<StoredSchedule[]> {
  const { rows } = await sql<{
    schedule: Selectable<SchedulesTable>;
    layers: Selectable<ScheduleLayersTable>[];
    overrides: Selectable<ScheduleOverridesTable>[];
    spans: Selectable<ScheduleSpansTable>[];
    calendar: CalendarState | null;
  }>`
    select to_jsonb(schedules) as schedule,
      (
        select coalesce(jsonb_agg(layer order by position, layer.id), '[]') from schedule_layers layer
        where schedule_id = schedules.id ${'from' in which ? sql`and (valid_until is null or valid_until > ${which.from})` : sql``}
      ) as layers,
      (
        select coalesce(jsonb_agg(o order by created_at, o.id), '[]') from schedule_overrides o
        where schedule_id = schedules.id ${'from' in which ? sql`and ends_at > ${which.from}` : sql``}
      ) as overrides,
      (
        select coalesce(jsonb_agg(span order by starts_at), '[]') from schedule_spans span
        where schedule_id = schedules.id ${'from' in which ? sql`and ends_at > ${which.from}` : sql``}
      ) as spans,
      (
        select jsonb_build_object('url', url, 'readAt', read_at, 'fault', fault, 'unknown', unknown, 'unread', unread)
        from schedule_calendars where schedule_id = schedules.id
      ) as calendar
    from schedules
    where ${'id' in which ? sql`id = ${which.id}` : sql`gone_at is null`}
    order by lower(name)
  `.execute(db);
  return rows.map(({ schedule, layers, overrides, spans, calendar }) => ({
    id: schedule.id,
    name: schedule.name,
    timeZone: schedule.time_zone,
    revision: schedule.revision,
    createdAt: new Date(schedule.created_at),
    goneAt: schedule.gone_at && new Date(schedule.gone_at),
    slackGroup: schedule.slack_group,
    layers: layers.map(toLayer),
    overrides: overrides.map(toOverride),
    ...((calendar !== null || spans.length > 0) && { calendar: spans.map(toSpan) }),
    calendarState: calendar && { ...calendar, readAt: calendar.readAt && new Date(calendar.readAt) },
  }));
}

function toSpan({ starts_at: from, ends_at: to, person_id: person }: Selectable<ScheduleSpansTable>): CalendarSpan {
  return { from: new Date(from), to: new Date(to), person };
}

/** Times within JSON are text. */
function toLayer({ id, rotation, valid_from, valid_until }: Selectable<ScheduleLayersTable>): Layer {
  return { ...rotation, id, validFrom: new Date(valid_from), validUntil: valid_until && new Date(valid_until) };
}

export function toOverride({
  id,
  starts_at,
  ends_at,
  person_id,
  replaces,
}: Selectable<ScheduleOverridesTable>): Override {
  return { id, from: new Date(starts_at), to: new Date(ends_at), person: person_id, replaces };
}
