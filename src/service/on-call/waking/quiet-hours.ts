import { reachedAt, wallOf } from '../../../incident/wall-time.ts';
import type { QuietHours } from '../../core/known-person.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Seconds until the quiet hours of a person end; 0: there are none now. */
export function quietForS(hours: QuietHours | null, timeZone: string, at: Date): number {
  if (hours === null) {
    return 0;
  }
  const [from, until] = [timeOfDay(hours.from), timeOfDay(hours.until)];
  const wall = wallOf(at, timeZone);
  const time = wall % DAY_MS;
  const isOverMidnight = from >= until;
  const isQuiet = isOverMidnight ? time >= from || time < until : time >= from && time < until;
  if (!isQuiet) {
    return 0;
  }
  const end = wall - time + until + (time < until ? 0 : DAY_MS);
  return Math.ceil((reachedAt(end, timeZone).getTime() - at.getTime()) / 1_000);
}

/** Milliseconds since midnight. */
function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}
