import { describe, expect, it } from 'vitest';
import { createSeries, judgeMetric } from './judge-metric.ts';

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
    expect(verdicts([...USUAL, 0.9, 0.9, 0.9])).toEqual([]);
  });

  it('changes nothing when it comes late', () => {
    const series = createSeries('payments');
    judgeMetric(series, sample(0.02, 10));

    judgeMetric(series, sample(0.9, 5));

    expect(series.usual.total).toBe(1);
  });
});

/** @returns the readings that were odd */
function verdicts(values: readonly number[]): number[] {
  const series = createSeries('payments');
  return values.flatMap((value, index) => judgeMetric(series, sample(value, index))?.now ?? []);
}

function sample(value: number, minute: number) {
  const about = { kind: 'metric', service: 'payments', series: 'cpu', instance: null, name: 'cpu' } as const;
  return { ...about, at: minute * 60_000, meaning: 'utilization', value } as const;
}
