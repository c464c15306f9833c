import type { Family, MetricItem, MetricMeaning } from '../../core/telemetry-item.ts';
import { MINUTE_MS } from '../constants.ts';
import { addValue, createHistogram, type Histogram, halve, mergeInto, quantile } from '../histogram.ts';
import {
  CHANCE,
  DOUBTED_REQUESTS,
  EXTREME_RATIO,
  LEAST_RUN,
  LEAST_SAMPLES,
  LONGEST_INTERVAL_MS,
  MOST_SAMPLES,
  NEW_USUAL_RUN,
  ODD_RATIO,
  TELLING_RUN,
} from './constants.ts';
import type { Finding } from './judge-watch.ts';

export interface Series {
  readonly service: string;
  readonly usual: Histogram;
  /** How often it was judged in quiet time. */
  looks: number;
  /** How often it was judged. */
  active: number;
  lastAt: number;
  lastValue: number;
  /** When the value last changed, or was last assumed to be a new measurement. */
  measuredAt: number;
  oddRun: number;
  /** Samples that were not odd since it was last found to be. Infinite: it never was. */
  wellRun: number;
}

/** Below the floor a metric is never odd, however quiet it used to be. */
const RULES: Readonly<
  Record<MetricMeaning, { readonly family: Family; readonly floor: number; readonly isDown: boolean }>
> = {
  duration: { family: 'latency_metric', floor: 0.005, isDown: false },
  client_duration: { family: 'latency_metric', floor: 0.005, isDown: false },
  utilization: { family: 'resource', floor: 0.1, isDown: false },
  unavailability: { family: 'failure_metric', floor: 0.002, isDown: false },
  failures: { family: 'failure_metric', floor: 1, isDown: false },
  backlog: { family: 'resource', floor: 10, isDown: false },
  traffic: { family: 'traffic_drop', floor: 0, isDown: true },
};

/** Whether a metric measures failures. How many are usual is a property of the service, not of one instance. */
export function tellsFailures({ meaning }: Pick<MetricItem, 'meaning'>): boolean {
  return RULES[meaning].family === 'failure_metric';
}

/** @param before baseline to begin with, of another instance */
export function createSeries(service: string, before: Histogram = createHistogram()): Series {
  const usual = createHistogram();
  mergeInto(usual, before);
  return {
    service,
    usual,
    looks: 0,
    active: 0,
    lastAt: Number.NEGATIVE_INFINITY,
    lastValue: Number.NaN,
    measuredAt: Number.NEGATIVE_INFINITY,
    oddRun: 0,
    wellRun: Number.POSITIVE_INFINITY,
  };
}

/** Judges the next sample of a series and remembers it. One that is not newer than the last changes nothing. */
export function judgeMetric(series: Series, item: MetricItem): Finding | null {
  const { at, meaning, name, value: now } = item;
  if (at <= series.lastAt || !Number.isFinite(now)) {
    return null;
  }
  const value = judgedValue(item);
  const { lastAt, lastValue } = series;
  const isMeasuredAnew = value !== lastValue || at - series.measuredAt >= MINUTE_MS;
  series.lastAt = at;
  series.lastValue = value;
  series.measuredAt = isMeasuredAnew ? at : series.measuredAt;
  const rule = RULES[meaning];
  const hasUsual = series.usual.total >= LEAST_SAMPLES;
  const bound = rule.isDown ? quantile(series.usual, 0.02) : quantile(series.usual, 0.98);
  const isOdd =
    hasUsual && (rule.isDown ? value < bound / ODD_RATIO / 2 : value >= Math.max(bound * ODD_RATIO, rule.floor));
  series.oddRun = isOdd ? series.oddRun + (isMeasuredAnew ? 1 : 0) : 0;
  if (!isOdd || series.oddRun > NEW_USUAL_RUN) {
    addValue(series.usual, usualValue(item));
    if (series.usual.total > MOST_SAMPLES) {
      halve(series.usual);
    }
  }
  if (series.oddRun < LEAST_RUN) {
    series.wellRun += isOdd ? 0 : 1;
    return null;
  }
  series.wellRun = 0;
  // The milder of the last two samples counts, since a single extreme is a blip, too.
  const ratio = rule.isDown
    ? bound / Math.max(value, lastValue, bound / 100)
    : Math.min(value, lastValue) / Math.max(bound, rule.floor);
  return {
    family: rule.family,
    peer: item.peer ?? null,
    subject: name,
    strength: Math.max(0, Math.min(1, Math.log(ratio) / Math.log(EXTREME_RATIO))),
    now,
    usual: quantile(series.usual, 0.5),
    count: series.oddRun,
    isShare: meaning === 'unavailability' || meaning === 'utilization',
    lastsMs: Math.min(at - lastAt, LONGEST_INTERVAL_MS),
  };
}

/** Whether the last sample shows that what the metric found is over. */
export function tellsRecovery({ wellRun }: Series): boolean {
  return wellRun > 0 && wellRun <= TELLING_RUN;
}

/** The value to learn. It includes failures that may be chance, so that they become usual. */
function usualValue(item: MetricItem): number {
  return shareOf(item, 0);
}

/** A share without the failures that may be chance. */
function judgedValue(item: MetricItem): number {
  return shareOf(item, CHANCE);
}

/** @param deviations of the number of failures that are left out; other values than shares of a count stay as they are */
function shareOf({ meaning, value, count }: MetricItem, deviations: number): number {
  if (meaning !== 'unavailability' || count === undefined) {
    return value;
  }
  const failed = value * count;
  const deviation = Math.sqrt(failed * Math.max(0, 1 - value));
  return Math.max(0, failed - deviations * deviation) / (count + DOUBTED_REQUESTS);
}
