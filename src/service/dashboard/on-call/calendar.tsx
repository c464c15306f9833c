import { reachedAt, wallOf } from '../../../incident/wall-time.ts';
import type { PersonId } from '../../core/turns/schedule.ts';
import type { Shift } from '../../core/turns/shifts.ts';
import { Foreign } from '../parts/foreign.tsx';

const DAY_MS = 86_400_000;
export const WEEKS_SHOWN = 4;

/** Names by id. */
export type Names = ReadonlyMap<PersonId, { readonly name: string }>;

/** From the Monday of the week of a time, in a zone, for four weeks. */
export function weeksFrom(at: Date, timeZone: string): { readonly from: Date; readonly to: Date } {
  const day = Math.floor(wallOf(at, timeZone) / DAY_MS);
  const monday = day - ((day + 3) % 7);
  const midnight = (days: number) => reachedAt((monday + days) * DAY_MS, timeZone);
  return { from: midnight(0), to: midnight(WEEKS_SHOWN * 7) };
}

interface CalendarView {
  readonly shifts: readonly Shift[];
  /** As it is before a change; absent: nothing changes. */
  readonly before?: readonly Shift[];
  readonly from: Date;
  readonly timeZone: string;
  readonly names: Names;
  readonly now: Date;
}

/** Four weeks of days, each with who begins on it. On a telephone each day is a line. */
export function Calendar({ shifts, before = shifts, from, timeZone, names, now }: CalendarView) {
  const first = Math.floor(wallOf(from, timeZone) / DAY_MS);
  const today = Math.floor(wallOf(now, timeZone) / DAY_MS);
  const rows = Array.from({ length: WEEKS_SHOWN }, (_row, week) =>
    Array.from({ length: 7 }, (_day, weekday) => first + week * 7 + weekday),
  );
  return (
    <table class="calendar">
      <caption>Who is on call, in the time of {timeZone}</caption>
      <thead>
        <tr>
          {['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((day) => (
            <th scope="col">{day}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((days) => (
          <tr>
            {days.map((day) => (
              <td class={day === today ? 'is-today' : day < today ? 'is-past' : undefined}>
                <span class="quiet">{dayWords(day)}</span>
                <Day day={day} shifts={shifts} before={before} timeZone={timeZone} names={names} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Day({
  day,
  shifts,
  before,
  timeZone,
  names,
}: Pick<CalendarView, 'shifts' | 'before' | 'timeZone' | 'names'> & { day: number }) {
  const [start, end] = [reachedAt(day * DAY_MS, timeZone), reachedAt((day + 1) * DAY_MS, timeZone)];
  const onDay = (all: readonly Shift[]) => all.filter(({ from, to }) => from < end && to > start);
  const wordsOf = ({ from, person }: Shift) =>
    `${from > start ? timeWords(from, timeZone) : ''} ${nameIn(names, person)}`;
  const now = onDay(shifts);
  const gone = onDay(before ?? shifts).filter((old) => !now.some((shift) => wordsOf(shift) === wordsOf(old)));
  return (
    <ul>
      {gone.map((shift) => (
        <li class="was">
          <del>
            <Foreign>{wordsOf(shift)}</Foreign>
          </del>
        </li>
      ))}
      {now.map((shift) => (
        <li class={shift.person === null ? 'gap' : undefined}>
          <Foreign>{wordsOf(shift)}</Foreign>
        </li>
      ))}
    </ul>
  );
}

export function nameIn(names: Names, person: PersonId | null): string {
  return person === null ? 'nobody' : (names.get(person)?.name ?? person);
}

/** "09:00" */
function timeWords(at: Date, timeZone: string): string {
  return new Date(wallOf(at, timeZone)).toISOString().slice(11, 16);
}

/** "Mon 2027-03-01 09:00" */
export function whenWords(at: Date, timeZone: string): string {
  const wall = new Date(wallOf(at, timeZone));
  const weekday = wall.toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
  return `${weekday} ${wall.toISOString().slice(0, 16).replace('T', ' ')}`;
}

/** "Mon 1 Mar" */
function dayWords(day: number): string {
  const date = new Date(day * DAY_MS);
  const options = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return date.toLocaleDateString('en-GB', options);
}
