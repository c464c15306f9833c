/** How often requests came lately, fading. */
export interface Pace {
  firstAt: number;
  lastAt: number;
  requests: number;
}

/** Time in which what came before counts a third. */
const FADE_MS = 20 * 60_000;

export function createPace(at: number): Pace {
  return { firstAt: at, lastAt: at, requests: 0 };
}

/** Counts a request. */
export function keepPace(pace: Pace, at: number, fadeMs = FADE_MS): void {
  const passedMs = Math.max(0, at - pace.lastAt);
  pace.requests = pace.requests * Math.exp(-passedMs / fadeMs) + 1;
  pace.lastAt = Math.max(pace.lastAt, at);
}

/** Leaves out a time in which nobody looked. */
export function skipPause(pace: Pace, pausedMs: number): void {
  pace.firstAt += pausedMs;
  pace.lastAt += pausedMs;
}

/** Requests for each millisecond. */
export function rateOf({ firstAt, lastAt, requests }: Pace, fadeMs = FADE_MS): number {
  return requests / (fadeMs * (1 - Math.exp(-Math.max(lastAt - firstAt, LEAST_MS) / fadeMs)));
}

const LEAST_MS = 60_000;

/** What was looked at since some time. */
export interface Looks {
  readonly sinceMs: number;
  readonly looks: number;
  readonly hits: number;
}

/** Below this share of the usual pace, requests are missing. */
const SPARSE = 0.5;
/** Odds of e^8 to 1. */
const BEYOND_CHANCE = 8;

/**
 * Whether only good requests became fewer. A sampler that begins to keep all failures and few of the others raises the share of
 * failures, but no more of them come in a minute than usual. A fault loses more requests, also while fewer come.
 *
 * @param usualShare of hits among looks
 */
export function isThinnedOut(pace: Pace, usualShare: number, { sinceMs, looks, hits }: Looks): boolean {
  const rate = rateOf(pace);
  if (looks >= SPARSE * rate * sinceMs) {
    return false;
  }
  const expected = usualShare * rate * sinceMs;
  return hits <= expected || hits * Math.log(hits / expected) - hits + expected < BEYOND_CHANCE;
}
