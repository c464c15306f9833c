import { TZDate } from '@date-fns/tz/date';
import type { PlannedMute } from '../../../incident/repetition.ts';
import { addDays } from '../../../runtime/dates.ts';
import { endOfSnooze } from './snooze.ts';

const WEEKDAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const PLAN =
  /^from\s+(?:(today|tomorrow|sun|mon|tue|wed|thu|fri|sat|\d{4}-\d{2}-\d{2})[a-z]*\s+(?:at\s+)?)?([01]?\d|2[0-3]):([0-5]\d)(?=\s|$)\s*(daily|weekly)?(?=\s|$)\s*([\s\S]*)$/i;

export type ReadPlan =
  | { readonly kind: 'plan'; readonly plan: PlannedMute; readonly reason: string }
  /** The text begins with "from", but its time is invalid or has passed. */
  | { readonly kind: 'wrong' };

/**
 * Reads "from sat 22:00 weekly database upgrade".
 *
 * @param time how long, as `readSnooze` returns it
 * @returns null: the text is a reason and not a plan
 */
export function readPlan(time: string, text: string, timeZone: string, now: Date): ReadPlan | null {
  if (!/^from\s/i.test(text)) {
    return null;
  }
  const [, day = '', hours = '', minutes = '', often = '', reason = ''] = PLAN.exec(text) ?? [];
  const startsAt = hours === '' ? null : startOf(day.toLowerCase(), Number(hours), Number(minutes), timeZone, now);
  if (startsAt === null) {
    return { kind: 'wrong' };
  }
  const every = often === '' ? null : often.toLowerCase() === 'daily' ? 'day' : 'week';
  const plan: PlannedMute = { startsAt, until: endOfSnooze(time, timeZone, startsAt), every, timeZone };
  return { kind: 'plan', plan, reason: reason.trim() };
}

/** The next time after `now`, unless the day is named. @returns null: it has passed, or there is no such day */
function startOf(day: string, hours: number, minutes: number, timeZone: string, now: Date): Date | null {
  const today = new TZDate(now, timeZone);
  const on = (date: TZDate) => {
    const at = new TZDate(date.getFullYear(), date.getMonth(), date.getDate(), hours, minutes, timeZone);
    return new Date(at.getTime());
  };
  const days = Array.from({ length: 8 }, (_, ahead) => addDays(today, ahead));
  const weekday = WEEKDAYS.indexOf(day);
  const dated = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (dated !== null) {
    const [, year = 0, month = 0, date = 0] = dated.map(Number);
    const named = new TZDate(year, month - 1, date, hours, minutes, timeZone);
    return named.getDate() === date && named > now ? new Date(named.getTime()) : null;
  }
  const wanted = days.filter(
    (each, ahead) =>
      day === '' ||
      (day === 'today' && ahead === 0) ||
      (day === 'tomorrow' && ahead === 1) ||
      each.getDay() === weekday,
  );
  return wanted.map(on).find((at) => at > now) ?? null;
}
