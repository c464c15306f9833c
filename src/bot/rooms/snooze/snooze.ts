import { addDays, addHours, addMinutes } from '../../../runtime/dates.ts';
import { tomorrowAt } from '../rules/quiet-hours.ts';

export const SNOOZES = ['1h', '4h', 'tomorrow'] as const;
export type SnoozeTime = (typeof SNOOZES)[number];

const MORNING = '09:00';

/** Splits "4h waiting for the vendor" into the time and the reason; null: it does not begin with a time. */
export function readSnooze(text: string): { readonly time: string; readonly reason: string | null } | null {
  const [, word = '', reason = ''] = /^\s*(?:for\s+)?(\S*)\s*([\s\S]*)$/i.exec(text) ?? [];
  const time = word.toLowerCase();
  const isTime = time === 'tomorrow' || /^[1-9]\d{0,2}[mhd]$/.test(time);
  return isTime ? { time, reason: reason.trim() === '' ? null : reason.trim() } : null;
}

/**
 * @param time as `readSnooze` returns it
 * @param timeZone of the person: "tomorrow" is nine in the morning there
 */
export function endOfSnooze(time: string, timeZone: string, now: Date): Date {
  if (time === 'tomorrow') {
    return tomorrowAt(MORNING, timeZone, now);
  }
  const count = Number(time.slice(0, -1));
  const add = time.endsWith('m') ? addMinutes : time.endsWith('h') ? addHours : addDays;
  return add(now, count);
}
