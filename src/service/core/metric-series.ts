import type { MetricRule } from './metric-rules.ts';

const RING_SIZE = 64;
/** With fewer samples there is no usual value. */
const MIN_BASELINE = 8;
const ODD_RATIO = 3;
const HIGH_PERCENTILE = 0.98;
/** A single odd sample is ignored. */
const ODD_SAMPLES_IN_A_ROW = 2;

/** State of one series. */
export interface Series {
  /** The last normal samples, oldest first. */
  readonly baseline: number[];
  /** Number of odd samples in a row. */
  oddRun: number;
  lastNanos: bigint;
  lastVerdict: Verdict | null;
}

export interface Verdict {
  readonly isOutOfBounds: boolean;
  readonly threshold: number;
  /** Median of the baseline; null while it is too short. */
  readonly usual: number | null;
}

export function emptySeries(): Series {
  return { baseline: [], oddRun: 0, lastNanos: -1n, lastVerdict: null };
}

/**
 * Judges the next sample of a series and updates the series. A repeated sample (from a retry) gets the same verdict.
 *
 * @returns null for a sample that is older than the last one, or while there is no bound yet
 */
export function weigh(series: Series, value: number, nanos: bigint, rule: MetricRule): Verdict | null {
  if (nanos <= series.lastNanos) {
    return nanos === series.lastNanos ? series.lastVerdict : null;
  }
  const usual = series.baseline.length >= MIN_BASELINE ? percentile(series.baseline, 0.5) : null;
  const threshold = findThreshold(series.baseline, usual, rule);
  const isOdd = threshold !== null && value >= threshold;
  series.oddRun = isOdd ? series.oddRun + 1 : 0;
  // Values that stay odd for a whole ring become the new baseline.
  if (!isOdd || series.oddRun > RING_SIZE) {
    remember(series.baseline, value);
  }
  series.lastNanos = nanos;
  series.lastVerdict =
    threshold === null ? null : { isOutOfBounds: series.oddRun >= ODD_SAMPLES_IN_A_ROW, threshold, usual };
  return series.lastVerdict;
}

/** The lowest applicable bound; null while there is none. */
function findThreshold(baseline: readonly number[], usual: number | null, rule: MetricRule): number | null {
  const fixed = rule.limit !== null && (usual === null || usual < rule.limit) ? rule.limit : null;
  if (usual === null || rule.floor === null) {
    return fixed;
  }
  const adaptive = Math.max(usual * ODD_RATIO, percentile(baseline, HIGH_PERCENTILE), rule.floor);
  return fixed === null ? adaptive : Math.min(fixed, adaptive);
}

function remember(baseline: number[], value: number): void {
  baseline.push(value);
  if (baseline.length > RING_SIZE) {
    baseline.shift();
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
