import type * as wire from '../../contract/on-call.ts';
import type { KnownPerson } from './known-person.ts';
import type { Gap } from './turns/gaps.ts';
import { hoursOf, pagesOf, type Woken } from './turns/hours-of.ts';
import { onCallAt } from './turns/on-call-at.ts';
import type { Layer, Override, PersonId, Schedule, Turns } from './turns/schedule.ts';
import { nextShift, type Shift } from './turns/shifts.ts';

/** People by id. */
type People = ReadonlyMap<string, Pick<KnownPerson, 'name'>>;

/** @param seesAddress whether the reader may see e-mail addresses */
export function presentPerson(person: KnownPerson, seesAddress: boolean): wire.Person {
  return {
    id: person.id,
    name: person.name,
    ...(seesAddress && { email: person.email }),
    slack_user_id: person.slackUserId,
    time_zone: person.timeZone,
    quiet_hours: person.quietHours ?? null,
    created_at: person.createdAt.toISOString(),
    gone_at: person.goneAt?.toISOString() ?? null,
  };
}

export function presentSchedule(
  schedule: Schedule & {
    readonly createdAt: Date;
    readonly goneAt: Date | null;
    readonly slackGroup: wire.SlackGroup | null;
    readonly calendarState: Calendar | null;
  },
  people: People,
  now: Date,
): wire.Schedule {
  const isAhead = (end: Date | null) => end === null || end > now;
  const next = nextShift(schedule, now);
  return {
    id: schedule.id,
    name: schedule.name,
    time_zone: schedule.timeZone,
    layers: schedule.layers.filter(({ validUntil }) => isAhead(validUntil)).map(presentLayer),
    overrides: schedule.overrides.filter(({ to }) => isAhead(to)).map((override) => presentOverride(override, people)),
    on_call: presentName(onCallAt(schedule, now), people),
    next: next && { from: next.from.toISOString(), person: presentName(next.person, people) },
    slack_group: schedule.slackGroup,
    calendar: schedule.calendarState && presentCalendar(schedule.calendarState),
    created_at: schedule.createdAt.toISOString(),
    deleted_at: schedule.goneAt?.toISOString() ?? null,
  };
}

interface Calendar {
  readonly url: string;
  readonly readAt: Date | null;
  readonly fault: string | null;
  readonly unknown: readonly string[];
  readonly unread: number;
}

function presentCalendar({ url, readAt, fault, unknown, unread }: Calendar): wire.ScheduleCalendar {
  return {
    url: maskUrl(url),
    read_at: readAt?.toISOString() ?? null,
    fault,
    unknown_people: unknown.length,
    unread_events: unread,
  };
}

/** Who knows the address may read what is there. */
export function maskUrl(url: string): string {
  return `${URL.parse(url)?.origin ?? ''}/...`;
}

export function presentGap({ because, elsewhere, ...shift }: Gap, people: People): wire.ScheduleGap {
  return { ...presentShift(shift, people), because, elsewhere };
}

export function presentOverride({ id, from, to, person, replaces }: Override, people: People): wire.ScheduleOverride {
  return {
    id,
    from: from.toISOString(),
    to: to.toISOString(),
    person: presentName(person, people),
    replaces: presentName(replaces, people),
  };
}

export function presentShift({ from, to, person }: Shift, people: People): wire.Shift {
  return { from: from.toISOString(), to: to.toISOString(), person: presentName(person, people) };
}

/** @param woken whom incidents woke in that time; absent: it is not known */
export function presentShifts(
  shifts: readonly Shift[],
  timeZone: string,
  people: People,
  woken?: readonly Woken[],
): wire.ShiftList {
  const pages = woken && pagesOf(shifts, woken);
  return {
    shifts: shifts.map((shift) => presentShift(shift, people)),
    people: hoursOf(shifts, timeZone).map(({ person, hours, nightHours, weekendHours }) => ({
      person: { id: person, name: people.get(person)?.name ?? person },
      hours: rounded(hours),
      night_hours: rounded(nightHours),
      weekend_hours: rounded(weekendHours),
      ...(pages && { pages: pages.get(person) ?? 0 }),
    })),
  };
}

/** RFC 4180. A name that a spreadsheet would calculate begins with an apostrophe. */
export function csvOf({ people }: wire.ShiftList): string {
  const rows = people.map(({ person, hours, night_hours: nights, weekend_hours: weekends, pages = 0 }) => [
    person.id,
    /^[=+\-@\t\r]/.test(person.name) ? `'${person.name}` : person.name,
    hours,
    nights,
    weekends,
    pages,
  ]);
  const lines = [['person', 'name', 'hours', 'night_hours', 'weekend_hours', 'pages'], ...rows];
  return lines
    .map((line) => `${line.map((value) => `"${String(value).replaceAll('"', '""')}"`).join(',')}\r\n`)
    .join('');
}

export function presentName(id: PersonId | null, people: People): wire.PersonOnCall | null {
  return id === null ? null : { id, name: people.get(id)?.name ?? id };
}

/** All whom a schedule names. */
export function peopleIn({ layers, overrides, calendar = [] }: Turns): PersonId[] {
  const named = [
    ...layers.flatMap(({ people }) => people),
    ...overrides.flatMap(({ person, replaces }) => [person, replaces]),
    ...calendar.map(({ person }) => person),
  ];
  return [...new Set(named.filter((id) => id !== null))];
}

function presentLayer({ validFrom, validUntil, timeZone, ...layer }: Layer): wire.Schedule['layers'][number] {
  return {
    id: layer.id,
    people: [...layer.people],
    every: layer.every,
    at: layer.at,
    anchor: layer.anchor,
    time_zone: timeZone,
    hours: layer.hours.map((hours) => ({ ...hours, days: [...hours.days] })),
    valid_from: validFrom.toISOString(),
    valid_until: validUntil?.toISOString() ?? null,
  };
}

function rounded(hours: number): number {
  return Math.round(hours * 100) / 100;
}
