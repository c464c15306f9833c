import { tzOffset } from '@date-fns/tz/tzOffset';

const MINUTE_MS = 60_000;
/** No clock is further from UTC than this. */
const FURTHEST_MS = 16 * 60 * MINUTE_MS;

/** What a clock on the wall shows, as milliseconds as if it were UTC. */
export function wallOf(at: Date, timeZone: string): number {
  return at.getTime() + tzOffset(timeZone, at) * MINUTE_MS;
}

/**
 * The first moment at which a clock on the wall has reached that: the first of two times, and where the clocks skip it, the
 * end of the gap. A later wall time is never reached earlier, so the moments of ascending wall times part time without holes
 * and without overlaps.
 */
export function reachedAt(wall: number, timeZone: string): Date {
  let [early, late] = [wall - FURTHEST_MS, wall + FURTHEST_MS];
  const [before, after] = [early, late].map((ms) => wall - tzOffset(timeZone, new Date(ms)) * MINUTE_MS);
  for (const ms of [before, after]) {
    if (ms !== undefined && wallOf(new Date(ms), timeZone) === wall) {
      return new Date(ms);
    }
  }
  // The clocks skip it.
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    [early, late] = wallOf(new Date(middle), timeZone) < wall ? [middle, late] : [early, middle];
  }
  return new Date(late);
}

/** When a clock on the wall shows that; where the clocks skip it, as much later as they skip (RFC 5545, 3.3.5). */
export function momentOf(wall: number, timeZone: string): Date {
  const reached = reachedAt(wall, timeZone);
  if (wallOf(reached, timeZone) === wall) {
    return reached;
  }
  const before = new Date(reached.getTime() - 1);
  return new Date(wall - tzOffset(timeZone, before) * MINUTE_MS);
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
