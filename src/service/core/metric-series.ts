import type { MetricRule } from './metric-rules.ts';

const RING_SIZE = 64;
/** Fewer samples make no "usual". */
const LEAST_BASELINE = 8;
const ODD_RATIO = 3;
const HIGH_PERCENTILE = 0.98;
/** One odd sample is a blip. */
const ODD_SAMPLES_IN_A_ROW = 2;

/** What is remembered of one series. */
export interface Series {
  /** Its last normal samples, oldest first. */
  readonly baseline: number[];
  /** Odd samples in a row, up to now. */
  oddRun: number;
  lastNanos: bigint;
  lastVerdict: Verdict | null;
}

export interface Verdict {
  readonly isOutOfBounds: boolean;
  readonly threshold: number;
  /** Median of the baseline, null while there is none. */
  readonly usual: number | null;
}

export function emptySeries(): Series {
  return { baseline: [], oddRun: 0, lastNanos: -1n, lastVerdict: null };
}

/**
 * Judges the next sample of a series and remembers it. The same sample again (a sender that was asked to retry) gets
 * the same verdict; one that is older than the last gets null, as does one nobody can judge yet.
 */
export function weigh(series: Series, value: number, nanos: bigint, rule: MetricRule): Verdict | null {
  if (nanos <= series.lastNanos) {
    return nanos === series.lastNanos ? series.lastVerdict : null;
  }
  const usual = series.baseline.length >= LEAST_BASELINE ? percentile(series.baseline, 0.5) : null;
  const threshold = findThreshold(series.baseline, usual, rule);
  const isOdd = threshold !== null && value >= threshold;
  series.oddRun = isOdd ? series.oddRun + 1 : 0;
  // What has been odd for a whole ring is the new usual.
  if (!isOdd || series.oddRun > RING_SIZE) {
    remember(series.baseline, value);
  }
  series.lastNanos = nanos;
  series.lastVerdict =
    threshold === null ? null : { isOutOfBounds: series.oddRun >= ODD_SAMPLES_IN_A_ROW, threshold, usual };
  return series.lastVerdict;
}

/** The lowest bound that applies; null while there is none. */
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
