import ical from 'node-ical';
import { z } from 'zod';
import { isTimeZone, momentOf, reachedAt, wallOf } from '../../../incident/wall-time.ts';
import { wallsBetween } from './recurrence.ts';

/** Events that are read, and their repetitions, also those that are cancelled: each takes time to compute. */
const MOST_EVENTS = 2_000;
const MOST_INSTANCES = 10_000;
const DAY_MS = 86_400_000;

/** A moment as `node-ical` leaves it: `tz` names its zone, and a day is midnight by the clock of this process. */
type ReadDate = Date & { readonly tz?: string; readonly dateOnly?: boolean };
const When = z.custom<ReadDate>((value) => value instanceof Date && !Number.isNaN(value.getTime()));
const Attendee = z.union([
  z.string().transform((val) => ({ val, params: {} as Readonly<Record<string, unknown>> })),
  z.object({ val: z.string(), params: z.record(z.string(), z.unknown()) }),
]);
const Time = z.object({
  start: When,
  end: When,
  status: z.string().optional(),
  attendee: z.union([z.array(Attendee), Attendee.transform((one) => [one])]).optional(),
});
type Time = z.infer<typeof Time>;
const Event = Time.extend({
  recurrenceid: When.optional(),
  rrule: z.custom<{ toString(): string }>((value) => typeof value === 'object' && value !== null).optional(),
  rdate: z.unknown().optional(),
  exdate: z.record(z.string(), When).optional(),
  recurrences: z.record(z.string(), Time.extend({ recurrenceid: When })).optional(),
});
type Event = z.infer<typeof Event>;

/** One time of an event. */
export interface CalendarShift {
  readonly from: Date;
  readonly to: Date;
  /** E-mail addresses of those who attend, in lower case. Names say nothing: two people may have the same. */
  readonly emails: readonly string[];
}

/** Why a calendar cannot be used, in words for people. */
export class CalendarError extends Error {
  override readonly name = 'CalendarError';
}

/**
 * The events of a calendar (RFC 5545) that touch a period, the first to begin first.
 *
 * Repetitions are computed by the clock on the wall, so the clocks that a zone skips or repeats are the business of
 * `wall-time` alone: what would begin in a gap begins at its end.
 *
 * @param zone of what has none: days, and times without a zone
 * @returns `unread`: how many events have repetitions that are not understood
 * @throws {CalendarError}
 */
export function readCalendar(
  text: string,
  period: { readonly from: Date; readonly to: Date },
  zone: string,
): { readonly shifts: CalendarShift[]; readonly unread: number } {
  const parsed = parse(text);
  const calendarZone = parsed.vcalendar?.['WR-TIMEZONE'];
  const ownZone = calendarZone !== undefined && isTimeZone(calendarZone) ? calendarZone : zone;
  const events = Object.values(parsed).filter((part) => part?.type === 'VEVENT');
  if (events.length > MOST_EVENTS) {
    throw new CalendarError(`the calendar has more than ${MOST_EVENTS} events`);
  }
  const instances: Instance[] = [];
  let unread = 0;
  for (const event of events) {
    try {
      const touching = ({ from, to }: Instance) => from < period.to && (from >= period.from || to > period.from);
      instances.push(...instancesOf(Event.parse(event), period, ownZone).filter(touching));
    } catch {
      unread += 1;
    }
    if (instances.length > MOST_INSTANCES) {
      throw new CalendarError(`the calendar has more than ${MOST_INSTANCES} shifts in the next months`);
    }
  }
  const shifts = instances.flatMap(({ status, from, to, emails }): CalendarShift[] => {
    return status !== 'CANCELLED' && from < to ? [{ from, to, emails }] : [];
  });
  return { shifts: shifts.toSorted((one, other) => one.from.getTime() - other.from.getTime()), unread };
}

function parse(text: string) {
  const fault = new CalendarError('there is no calendar at the address');
  if (!text.includes('BEGIN:VCALENDAR')) {
    throw fault;
  }
  try {
    return ical.sync.parseICS(text);
  } catch {
    throw fault;
  }
}

interface Period {
  readonly from: Date;
  readonly to: Date;
}

interface Instance extends CalendarShift {
  readonly status: string | undefined;
}

function instancesOf(event: Event, period: Period, ownZone: string): Instance[] {
  const { start, rrule, rdate, recurrenceid, exdate = {}, recurrences = {} } = event;
  // Each changed time is there under its date and under its moment.
  const changed = [...new Map(Object.values(recurrences).map((each) => [each.recurrenceid.getTime(), each])).values()];
  const others = changed.map((each) => single(each, ownZone));
  if (rrule === undefined && rdate === undefined) {
    // A changed time whose event was removed is an event, and is among its own changes.
    return recurrenceid === undefined ? [single(event, ownZone), ...others] : others;
  }
  const zone = zoneOf(start, ownZone);
  const first = wallOfDate(start, start, ownZone);
  const lengthMs = wallOfDate(event.end, event.end, ownZone) - first;
  // A time that the clocks skip is read as RFC 5545 says, so it is compared as such.
  const keyOf = (wall: number) => (start.tz === undefined ? wall : momentOf(wall, zone).getTime());
  const left = new Set(
    [...Object.values(exdate), ...changed.map((each) => each.recurrenceid)].map((date) =>
      start.tz === undefined ? wallOfDate(date, start, ownZone) : date.getTime(),
    ),
  );
  const rule = { start: first, rrule: rrule?.toString() ?? null, rdate, zone };
  const own = wallsBetween(rule, wallOf(period.from, zone) - lengthMs - DAY_MS, wallOf(period.to, zone))
    .filter((wall) => !left.has(keyOf(wall)))
    .map((wall) => instance(event, reachedAt(wall, zone), reachedAt(wall + lengthMs, zone)));
  return [...own, ...others];
}

function single(time: Time, ownZone: string): Instance {
  const momentOf = (date: ReadDate) => reachedAt(wallOfDate(date, date, ownZone), zoneOf(date, ownZone));
  return instance(time, momentOf(time.start), momentOf(time.end));
}

function instance({ status, attendee = [] }: Time, from: Date, to: Date): Instance {
  return { status, from, to, emails: attendee.flatMap(emailsOf) };
}

/** Those who said no, and rooms, do not attend. */
function emailsOf({ val, params }: z.infer<typeof Attendee>): string[] {
  const isThere = params.PARTSTAT !== 'DECLINED' && params.CUTYPE !== 'ROOM' && params.CUTYPE !== 'RESOURCE';
  const [, email] = /^mailto:(.+@.+)$/i.exec(val.trim()) ?? [];
  return isThere && email !== undefined ? [email.toLowerCase()] : [];
}

function zoneOf({ tz }: ReadDate, ownZone: string): string {
  return tz !== undefined && isTimeZone(tz) ? tz : ownZone;
}

/** What the clock on the wall shows. @param of says how the date was read: in which zone, or as a day */
function wallOfDate(date: Date, of: ReadDate, ownZone: string): number {
  if (of.dateOnly === true) {
    return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  }
  return of.tz === undefined ? date.getTime() - date.getTimezoneOffset() * 60_000 : wallOf(date, zoneOf(of, ownZone));
}
