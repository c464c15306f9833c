import { reachedAt, wallOf } from '../../../incident/wall-time.ts';
import { type Hours, type Rotation, WEEKDAYS, type Weekday } from './schedule.ts';
import { timeOfDay } from './turns.ts';

const DAY_MS = 86_400_000;

interface Span {
  readonly from: Date;
  readonly to: Date;
}

export function isWithinHours(rotation: Pick<Rotation, 'hours' | 'timeZone'>, at: Date): boolean {
  return rotation.hours.length === 0 || hoursBetween(rotation, at, at).some(({ from, to }) => from <= at && at < to);
}

/** All spans of a layer's hours that touch the time between the two. They may overlap. */
export function hoursBetween({ hours, timeZone }: Pick<Rotation, 'hours' | 'timeZone'>, from: Date, to: Date): Span[] {
  const last = Math.floor(wallOf(to, timeZone) / DAY_MS) + 1;
  const spans: Span[] = [];
  // A night that began the day before, and a day that the clocks repeat.
  for (let day = Math.floor(wallOf(from, timeZone) / DAY_MS) - 2; day <= last; day += 1) {
    for (const each of hours.filter(({ days }) => days.includes(weekdayOf(day)))) {
      spans.push(spanOn(day * DAY_MS, each, timeZone));
    }
  }
  return spans;
}

function spanOn(midnight: number, { from, to }: Hours, timeZone: string): Span {
  const [start, end] = [timeOfDay(from), timeOfDay(to)];
  const wallEnd = midnight + end + (end <= start ? DAY_MS : 0);
  return { from: reachedAt(midnight + start, timeZone), to: reachedAt(wallEnd, timeZone) };
}

/** @param day days since 1970-01-01, a Thursday */
export function weekdayOf(day: number): Weekday {
  return WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? 'mon';
}
