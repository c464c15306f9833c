import { halveCounts, sumOf } from './bounded-map.ts';

/** Ten buckets per decade: a quantile is off by at most 12 %. */
const BUCKETS_PER_DECADE = 10;
/** Smallest value that is distinguished from zero: a microsecond in milliseconds, a ten-thousandth of a share. */
const LEAST = 1e-4;

/** A histogram with logarithmic buckets. Memory grows with the spread of the values, not with their number. */
export interface Histogram {
  readonly buckets: Map<number, number>;
  total: number;
  sum: number;
}

export function createHistogram(): Histogram {
  return { buckets: new Map(), total: 0, sum: 0 };
}

export function addValue(histogram: Histogram, value: number): void {
  const bucket = bucketOf(value);
  histogram.buckets.set(bucket, (histogram.buckets.get(bucket) ?? 0) + 1);
  histogram.total += 1;
  histogram.sum += value;
}

export function mergeInto(target: Histogram, source: Histogram): void {
  for (const [bucket, count] of source.buckets) {
    target.buckets.set(bucket, (target.buckets.get(bucket) ?? 0) + count);
  }
  target.total += source.total;
  target.sum += source.sum;
}

/** Halves old counts, so that what was normal long ago fades. */
export function halve(histogram: Histogram): void {
  halveCounts(histogram.buckets);
  histogram.total = sumOf(histogram.buckets);
  histogram.sum /= 2;
}

/** Upper bound of the bucket that holds the quantile. */
export function quantile(histogram: Histogram, share: number): number {
  const ordered = [...histogram.buckets.keys()].toSorted((a, b) => a - b);
  let below = 0;
  for (const bucket of ordered) {
    below += histogram.buckets.get(bucket) ?? 0;
    if (below >= share * histogram.total) {
      return upperBound(bucket);
    }
  }
  return 0;
}

/** The quantile, as if the values of its bucket were spread evenly: off by a few per cent. */
export function estimate(histogram: Histogram, share: number): number {
  const ordered = [...histogram.buckets.keys()].toSorted((a, b) => a - b);
  const wanted = share * histogram.total;
  let below = 0;
  for (const bucket of ordered) {
    const inBucket = histogram.buckets.get(bucket) ?? 0;
    if (below + inBucket >= wanted) {
      const upper = upperBound(bucket);
      const lower = bucket === 0 ? 0 : upperBound(bucket - 1);
      return lower + ((upper - lower) * (wanted - below)) / inBucket;
    }
    below += inBucket;
  }
  return 0;
}

export function countAbove(histogram: Histogram, value: number): number {
  const limit = bucketOf(value * 0.999);
  let count = 0;
  for (const [bucket, inBucket] of histogram.buckets) {
    count += bucket > limit ? inBucket : 0;
  }
  return count;
}

export function mean({ sum, total }: Histogram): number {
  return total === 0 ? 0 : sum / total;
}

function bucketOf(value: number): number {
  return value <= LEAST ? 0 : 1 + Math.floor(Math.log10(value / LEAST) * BUCKETS_PER_DECADE);
}

function upperBound(bucket: number): number {
  return bucket === 0 ? LEAST : LEAST * 10 ** (bucket / BUCKETS_PER_DECADE);
}
