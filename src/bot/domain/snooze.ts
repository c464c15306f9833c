import { addHours } from 'date-fns/addHours';
import { tomorrowAt } from './quiet-hours.ts';

export const SNOOZES = ['1h', '4h', 'tomorrow'] as const;
export type SnoozeTime = (typeof SNOOZES)[number];

const MORNING = '09:00';

/** Splits "4h waiting for the vendor" into the time and the reason; null: it does not begin with a time. */
export function readSnooze(text: string): { readonly time: SnoozeTime; readonly reason: string | null } | null {
  const [, word = '', reason = ''] = /^\s*(?:for\s+)?(\S*)\s*([\s\S]*)$/i.exec(text) ?? [];
  const time = SNOOZES.find((each) => each === word.toLowerCase());
  return time === undefined ? null : { time, reason: reason.trim() === '' ? null : reason.trim() };
}

/** @param timeZone of the person: "tomorrow" is nine in the morning there */
export function endOfSnooze(time: SnoozeTime, timeZone: string, now: Date): Date {
  switch (time) {
    case '1h':
      return addHours(now, 1);
    case '4h':
      return addHours(now, 4);
    case 'tomorrow':
      return tomorrowAt(MORNING, timeZone, now);
    default:
      return time satisfies never;
  }
}
