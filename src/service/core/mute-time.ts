import { REPEATS, type Repeat } from '../../incident/repetition.ts';
import { isTimeZone } from '../../incident/wall-time.ts';
import { addDays } from '../../runtime/dates.ts';

/** The longest that a mute may last. */
export const MAX_MUTE_DAYS = 30;
/** How far ahead a mute may start. */
const MAX_AHEAD_DAYS = 366;

export interface MuteTime {
  /** null, or not in the future: now. */
  readonly startsAt: Date | null;
  readonly until: Date;
  /** null: once. */
  readonly repeat: Repeat | null;
  /** IANA name: it repeats at the same time of day there. */
  readonly timeZone: string;
}

interface MuteTimeFault {
  readonly field: keyof MuteTime;
  readonly detail: string;
}

/** @returns null: a mute can have this time */
export function faultOfMuteTime({ startsAt, until, repeat, timeZone }: MuteTime, now: Date): MuteTimeFault | null {
  const start = startsAt !== null && startsAt > now ? startsAt : now;
  if (start > addDays(now, MAX_AHEAD_DAYS)) {
    return { field: 'startsAt', detail: `must be at most ${MAX_AHEAD_DAYS} days ahead` };
  }
  if (until <= start || until > addDays(start, MAX_MUTE_DAYS)) {
    const what = start === now ? 'in the future' : 'after the start';
    return { field: 'until', detail: `must be ${what}, at most ${MAX_MUTE_DAYS} days ahead` };
  }
  if (repeat !== null && until > addDays(start, REPEATS[repeat])) {
    return { field: 'repeat', detail: `must not be shorter than the mute: it lasts longer than a ${repeat}` };
  }
  return isTimeZone(timeZone) ? null : { field: 'timeZone', detail: 'must be the name of a time zone: Europe/Berlin' };
}
