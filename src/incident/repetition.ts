import { TZDate } from '@date-fns/tz/date';
import { addDays } from 'date-fns/addDays';

/** How often planned work comes back, in days. */
export const REPEATS = { day: 1, week: 7 } as const;
export type Repeat = keyof typeof REPEATS;

/** A mute that starts later, and may come back. */
export interface PlannedMute {
  readonly startsAt: Date;
  readonly until: Date;
  /** null: once. */
  readonly every: Repeat | null;
  /** IANA name: it comes back at the same time of day there. */
  readonly timeZone: string;
}

/** The next repetition whose end has not passed; null: the mute does not repeat. */
export function nextTime({ startsAt, until, every, timeZone }: PlannedMute, now: Date): PlannedMute | null {
  if (every === null) {
    return null;
  }
  for (let times = 1; ; times += 1) {
    const later = (at: Date) => new Date(addDays(new TZDate(at, timeZone), times * REPEATS[every]).getTime());
    if (later(until) > now) {
      return { startsAt: later(startsAt), until: later(until), every, timeZone };
    }
  }
}
