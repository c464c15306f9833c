import { TZDate } from '@date-fns/tz/date';
import { addDays, isWeekend, set } from '../../../runtime/dates.ts';

/** Times of day, `HH:mm`. If `from` is later than `to`, they reach into the next day. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  /** IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

/** The end of the quiet hours that `now` is in; null: it is in none. */
export function endOfQuietHours({ from, to, timeZone }: QuietHours, now: Date): Date | null {
  for (const startDay of [-1, 0]) {
    const start = atTime(addDays(new TZDate(now, timeZone), startDay), from);
    const end = atTime(to > from ? start : addDays(start, 1), to);
    if (start <= now && now < end) {
      return new Date(end.getTime());
    }
  }
  return null;
}

/** The next time after `now` that is a weekday at that time of day. */
export function nextWeekdayAt(time: string, timeZone: string, now: Date): Date {
  let day = new TZDate(now, timeZone);
  while (atTime(day, time) <= now || isWeekend(day)) {
    day = addDays(day, 1);
  }
  return new Date(atTime(day, time).getTime());
}

/** The last time until `now` that was a weekday at that time of day. */
export function lastWeekdayAt(time: string, timeZone: string, now: Date): Date {
  let day = new TZDate(now, timeZone);
  while (atTime(day, time) > now || isWeekend(day)) {
    day = addDays(day, -1);
  }
  return new Date(atTime(day, time).getTime());
}

/** The next day at that time of day. */
export function tomorrowAt(time: string, timeZone: string, now: Date): Date {
  return new Date(atTime(addDays(new TZDate(now, timeZone), 1), time).getTime());
}

function atTime(day: TZDate, time: string): TZDate {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return set(day, { hours, minutes, seconds: 0, milliseconds: 0 });
}
