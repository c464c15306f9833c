import { halveCounts, increase } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { addValue, createHistogram, type Histogram, halve, mergeInto } from '../histogram.ts';
import { MAX_PAIRED, MAX_PAIRS, MOST_USUAL } from './constants.ts';

/** Counts of one operation, edge or stream of log lines in some span of time. */
export interface Tally {
  /** Spans of an operation, calls of an edge, lines of a log. */
  total: number;
  /**
   * Counts by feature. Failures and error lines are counted in every run, steps and log lines only in runs without a
   * failure, because a failure explains what is missing.
   */
  readonly features: Map<string, number>;
  /** Error lines that no failed request explains, by feature. Not merged: the test of lines has its own usual rate. */
  readonly unexplained: Map<string, number>;
  /** How often two features happened together. */
  readonly pairs: Map<string, number>;
  readonly times: Histogram;
}

/** The unit that is judged, with its baseline (`usual`) and its last minute in slots. */
export interface Watch {
  /** A sender's telemetry says nothing about what is usual in that of another. */
  readonly sender: string;
  readonly service: string;
  readonly kind: 'operation' | 'edge' | 'lines';
  /** Operation, callee, or empty. */
  readonly subject: string;
  readonly usual: Tally;
  readonly slots: Map<number, Tally>;
  /** How often it was judged in quiet time. */
  looks: number;
  /** Slots in which something happened. */
  active: number;
  /** Slot in which it was first judged; null: not yet. */
  firstSlot: number | null;
  /** First slot of the present run of slots with evidence, or null. */
  oddSince: number | null;
  /** Last slot with evidence. Slots up to it do not become baseline. */
  oddUntil: number;
}

/** How much of the watch was seen: in its baseline, and since. */
export function observationsOf({ usual, slots }: Watch): number {
  return [...slots.values()].reduce((sum, { total }) => sum + total, usual.total);
}

/** A feature of every run without a failure. */
const RUN = 'run';
/** Separator of two paired features. No feature contains it. */
const AND = '\n';

export function createTally(): Tally {
  return { total: 0, features: new Map(), unexplained: new Map(), pairs: new Map(), times: createHistogram() };
}

/** What is known of a run. */
export interface Outcome {
  readonly isClean: boolean;
  readonly hasFailed: boolean;
}

/**
 * @param features how often each happened in it
 * @param isClean false when something failed that explains what is missing
 * @param hasFailed whether a span of the run failed, so that the failed request explains its error lines
 */
export function count(
  tally: Tally,
  features: ReadonlyMap<string, number>,
  timeMs: number | null,
  { isClean, hasFailed }: Outcome,
): void {
  tally.total += 1;
  for (const feature of features.keys()) {
    if (isFailure(feature)) {
      increase(tally.features, feature, 1, LIMITS.features);
    }
    if (isErrorLine(feature) && !hasFailed) {
      increase(tally.unexplained, feature, 1, LIMITS.features);
    }
  }
  if (isClean) {
    countClean(tally, features);
  }
  if (timeMs !== null) {
    addValue(tally.times, timeMs);
  }
}

function countClean(tally: Tally, features: ReadonlyMap<string, number>): void {
  const paired = [[RUN, 1] as const, ...features].slice(0, MAX_PAIRED).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [index, [one, times]] of paired.entries()) {
    increase(tally.features, one, times, LIMITS.features);
    for (const [other, otherTimes] of paired.slice(index + 1)) {
      increase(tally.pairs, one + AND + other, Math.min(times, otherTimes), MAX_PAIRS);
    }
  }
}

/** Whether it is a log line other than an error line. */
export function isLine(feature: string): boolean {
  return feature.startsWith('log ');
}

export function isFailure(feature: string): boolean {
  return feature === 'failed' || isErrorLine(feature);
}

export function isErrorLine(feature: string): boolean {
  return feature.startsWith('error ');
}

/** A copy without failures. Failures during an incident must not become baseline. */
export function withoutFailures(tally: Tally): Tally {
  return { ...tally, features: new Map([...tally.features].filter(([feature]) => !isFailure(feature))) };
}

export function countBoth(tally: Tally, one: string, other: string): number {
  return tally.pairs.get(one < other ? one + AND + other : other + AND + one) ?? 0;
}

export function merge(target: Tally, source: Tally): void {
  target.total += source.total;
  for (const [feature, hits] of source.features) {
    increase(target.features, feature, hits, LIMITS.features);
  }
  for (const [pair, hits] of source.pairs) {
    increase(target.pairs, pair, hits, MAX_PAIRS);
  }
  mergeInto(target.times, source.times);
  if (target.total > MOST_USUAL) {
    fade(target);
  }
}

function fade(tally: Tally): void {
  tally.total /= 2;
  halve(tally.times);
  halveCounts(tally.features);
  halveCounts(tally.pairs);
}
