import { describe, expect, it } from 'vitest';
import type { MetricItem } from '../../core/telemetry-item.ts';
import { createSeries, judgeMetric } from './judge-metric.ts';

const MINUTE_MS = 60_000;

const USUAL = Array.from({ length: 40 }, (_, index) => 0.02 + 0.001 * (index % 5));

describe('a metric', () => {
  it('is odd from the second sample beyond its baseline', () => {
    expect(verdicts([...USUAL, 0.9, 0.95])).toEqual([0.95]);
  });

  it('is not odd for one sample', () => {
    expect(verdicts([...USUAL, 0.9, 0.02])).toEqual([]);
  });

  it('is not odd in the good direction', () => {
    expect(verdicts([...USUAL.map((value) => value + 0.5), 0.01, 0.02])).toEqual([]);
  });

  it('is not odd below the floor of its kind, however low it used to be', () => {
    expect(verdicts([...USUAL.map((value) => value / 100), 0.05, 0.06])).toEqual([]);
  });

  it('does not become odd when the same reading is sent again', () => {
    expect(verdicts([...USUAL, 0.9, 0.9, 0.9], { everyMs: 20_000 })).toEqual([]);
  });

  it('is odd when a reading stays the same for more than a minute, as in a total outage', () => {
    expect(verdicts([...USUAL, 1, 1, 1, 1], { everyMs: 20_000 })).toEqual([1]);
  });

  it('is odd for a share of failures of many requests, not for the same share of one request', () => {
    const usual = Array.from({ length: 40 }, (_, index) => (index % 20 === 0 ? 1 : 0));
    const about = { meaning: 'unavailability', count: 1 } as const;

    expect(verdicts([...usual, 1, 1], about)).toEqual([]);
    expect(verdicts([...usual.map((value) => value / 20), 1, 1], { ...about, count: 20 })).toEqual([1]);
  });

  it('is not odd for one failure of several requests, again and again', () => {
    const usual = Array.from({ length: 40 }, () => 0);
    const about = { meaning: 'unavailability', count: 20 } as const;

    expect(verdicts([...usual, 0.05, 0.051, 0.05, 0.051], about)).toEqual([]);
    expect(verdicts([...usual, 0.25, 0.2], about)).toEqual([0.2]);
  });

  it('is not odd for a few failures more than a service always has', () => {
    const usual = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 0.05 : 0.15));
    const about = { meaning: 'unavailability', count: 20 } as const;

    expect(verdicts([...usual, 0.2, 0.2, 0.25], about)).toEqual([]);
    expect(verdicts([...usual, 0.6, 0.65], about)).toEqual([0.65]);
  });

  it('changes nothing when it comes late', () => {
    const series = createSeries('payments');
    judgeMetric(series, sample(0.02, 10));

    judgeMetric(series, sample(0.9, 5));

    expect(series.usual.total).toBe(1);
  });
});

/** @returns the readings that were odd */
function verdicts(values: readonly number[], { everyMs = MINUTE_MS, ...about }: Sampling = {}): number[] {
  const series = createSeries('payments');
  return values.flatMap(
    (value, index) => judgeMetric(series, { ...sample(value, 0), at: index * everyMs, ...about })?.now ?? [],
  );
}

type Sampling = Partial<Pick<MetricItem, 'meaning' | 'count'>> & { readonly everyMs?: number };

function sample(value: number, minute: number): MetricItem {
  const about = { kind: 'metric', service: 'payments', series: 'cpu', instance: null, name: 'cpu' } as const;
  return { ...about, at: minute * MINUTE_MS, meaning: 'utilization', value };
}
