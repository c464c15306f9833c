import { momentOf, wallOf } from './wall-time.ts';

/** How often planned work comes back, in days. */
export const REPEATS = { day: 1, week: 7 } as const;
export type Repeat = keyof typeof REPEATS;

const DAY_MS = 86_400_000;

interface Times {
  readonly startsAt: Date;
  readonly until: Date;
}

/** A mute that starts later, and may come back. */
export interface PlannedMute extends Times {
  /** null: once. */
  readonly every: Repeat | null;
  /** IANA name: it comes back at the same time of day there. */
  readonly timeZone: string;
  /**
   * The first time. All later ones have its times of day: none is derived from the one before, which the change of the
   * clocks may have moved. Absent or null: this is the first one.
   */
  readonly first?: Times | null | undefined;
}

/** The next repetition whose end has not passed; null: the mute does not repeat. */
export function nextTime(plan: PlannedMute, now: Date): (PlannedMute & { readonly first: Times }) | null {
  const { startsAt, until, every, timeZone } = plan;
  if (every === null) {
    return null;
  }
  const first = plan.first ?? { startsAt, until };
  const periodMs = REPEATS[every] * DAY_MS;
  const passed = Math.floor((now.getTime() - first.until.getTime()) / periodMs);
  for (let times = Math.max(1, passed - 1); ; times += 1) {
    const next = repeatAfter(first, times * periodMs, timeZone);
    if (next.until > now && next.startsAt > startsAt) {
      return { ...next, every, timeZone, first };
    }
  }
}

/** The same wall times so much later. Where the clocks skip the start, the end moves with it. */
function repeatAfter(first: Times, ms: number, timeZone: string): Times {
  const start = wallOf(first.startsAt, timeZone) + ms;
  const startsAt = momentOf(start, timeZone);
  const movedMs = wallOf(startsAt, timeZone) - start;
  return { startsAt, until: momentOf(wallOf(first.until, timeZone) + ms + movedMs, timeZone) };
}
