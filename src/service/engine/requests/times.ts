import { addValue, createHistogram, estimate, type Histogram, halve } from '../histogram.ts';
import { MOST_SAMPLES, STALE_SHARE } from './constants.ts';

/** Durations with their cached baseline, which is read far more often than it changes. */
export interface Times {
  readonly histogram: Histogram;
  usual: Usual;
  /** Number of samples from which `usual` is computed again. */
  staleFrom: number;
}

export interface Usual {
  readonly medianMs: number;
  /** 95th percentile. */
  readonly highMs: number;
}

export function createTimes(): Times {
  return { histogram: createHistogram(), usual: { medianMs: 0, highMs: 0 }, staleFrom: 1 };
}

export function addTime(times: Times, ms: number): void {
  const { histogram } = times;
  addValue(histogram, ms);
  if (histogram.total > MOST_SAMPLES) {
    halve(histogram);
    times.staleFrom = 0;
  }
}

export function usualOfTimes(times: Times): Usual {
  const { histogram, staleFrom } = times;
  if (histogram.total >= staleFrom) {
    times.usual = { medianMs: estimate(histogram, 0.5), highMs: estimate(histogram, 0.95) };
    times.staleFrom = Math.ceil(histogram.total * STALE_SHARE) + 1;
  }
  return times.usual;
}

export function highestOf({ histogram }: Times): number {
  return estimate(histogram, 1);
}
