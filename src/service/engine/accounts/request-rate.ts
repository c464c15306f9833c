import { HALF, MINUTE_MS } from '../constants.ts';
import { BEYOND_CHANCE, FADE_MS } from './constants.ts';

/** Rate of requests, as an exponentially weighted average. */
export interface RequestRate {
  firstAt: number;
  lastAt: number;
  /** Sum of the weights of the requests. */
  requests: number;
}

export function createRate(at: number): RequestRate {
  return { firstAt: at, lastAt: at, requests: 0 };
}

/** Counts a request. */
export function countForRate(rate: RequestRate, at: number, fadeMs = FADE_MS): void {
  const passedMs = Math.max(0, at - rate.lastAt);
  rate.requests = rate.requests * Math.exp(-passedMs / fadeMs) + 1;
  rate.lastAt = Math.max(rate.lastAt, at);
}

/** Excludes a time without telemetry, in which requests may have come unseen. */
export function skipPause(rate: RequestRate, pausedMs: number): void {
  rate.firstAt += pausedMs;
  rate.lastAt += pausedMs;
}

/** Average number of requests per millisecond. */
export function perMillisecond({ firstAt, lastAt, requests }: RequestRate, fadeMs = FADE_MS): number {
  return requests / (fadeMs * (1 - Math.exp(-Math.max(lastAt - firstAt, MINUTE_MS) / fadeMs)));
}

/** Observations of a test since the possible onset of a fault: `looks` requests, of which `hits` were lost. */
export interface Looks {
  readonly sinceMs: number;
  readonly looks: number;
  readonly hits: number;
}

/** Whether significantly fewer requests come than usual (Poisson likelihood ratio). */
export function areFewerThanUsual(rate: RequestRate, sinceMs: number, requests: number): boolean {
  const expected = perMillisecond(rate) * sinceMs;
  const logRatio = requests === 0 ? 0 : requests * Math.log(requests / expected);
  return requests < expected && logRatio - requests + expected >= BEYOND_CHANCE;
}

/**
 * Whether the share of failures rose only because a sampler drops good requests: fewer requests come, but not more failures per minute
 * than usual. A real fault raises the number of failures per minute, even under less load.
 *
 * @param usualShare usual share of failures among requests
 */
export function isSampledMore(rate: RequestRate, usualShare: number, { sinceMs, looks, hits }: Looks): boolean {
  const usualRate = perMillisecond(rate);
  if (looks >= HALF * usualRate * sinceMs) {
    return false;
  }
  const expected = usualShare * usualRate * sinceMs;
  return hits <= expected || hits * Math.log(hits / expected) - hits + expected < BEYOND_CHANCE;
}
