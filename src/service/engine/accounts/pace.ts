import { BEYOND_CHANCE, FADE_MS, MINUTE_MS, SPARSE } from './constants.ts';

/** Rate of requests, as an exponentially weighted average. */
export interface Pace {
  firstAt: number;
  lastAt: number;
  /** Sum of the weights of the requests. */
  requests: number;
}

export function createPace(at: number): Pace {
  return { firstAt: at, lastAt: at, requests: 0 };
}

/** Counts a request. */
export function keepPace(pace: Pace, at: number, fadeMs = FADE_MS): void {
  const passedMs = Math.max(0, at - pace.lastAt);
  pace.requests = pace.requests * Math.exp(-passedMs / fadeMs) + 1;
  pace.lastAt = Math.max(pace.lastAt, at);
}

/** Excludes a time without telemetry, in which requests may have come unseen. */
export function skipPause(pace: Pace, pausedMs: number): void {
  pace.firstAt += pausedMs;
  pace.lastAt += pausedMs;
}

/** Average number of requests per millisecond. */
export function rateOf({ firstAt, lastAt, requests }: Pace, fadeMs = FADE_MS): number {
  return requests / (fadeMs * (1 - Math.exp(-Math.max(lastAt - firstAt, MINUTE_MS) / fadeMs)));
}

/** Observations of a test since the possible onset of a fault: `looks` requests, of which `hits` were lost. */
export interface Looks {
  readonly sinceMs: number;
  readonly looks: number;
  readonly hits: number;
}

/** Whether significantly fewer requests come than usual (Poisson likelihood ratio). */
export function areFewer(pace: Pace, sinceMs: number, requests: number): boolean {
  const expected = rateOf(pace) * sinceMs;
  const logRatio = requests === 0 ? 0 : requests * Math.log(requests / expected);
  return requests < expected && logRatio - requests + expected >= BEYOND_CHANCE;
}

/**
 * Whether the share of failures rose only because a sampler drops good requests: fewer requests come, but not more failures per minute
 * than usual. A real fault raises the number of failures per minute, even under less load.
 *
 * @param usualShare usual share of failures among requests
 */
export function isThinnedOut(pace: Pace, usualShare: number, { sinceMs, looks, hits }: Looks): boolean {
  const rate = rateOf(pace);
  if (looks >= SPARSE * rate * sinceMs) {
    return false;
  }
  const expected = usualShare * rate * sinceMs;
  return hits <= expected || hits * Math.log(hits / expected) - hits + expected < BEYOND_CHANCE;
}
