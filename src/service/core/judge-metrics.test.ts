import { describe, expect, it } from 'vitest';
import { createMetricState, judgeMetrics } from './judge-metrics.ts';
import type { ObservedSignal } from './signal.ts';
import type { Attributes, Metric, MetricPoint } from './telemetry.ts';

const START = 1_769_846_400_000_000_000n;
const MINUTE = 60_000_000_000n;
const NOW = new Date('2026-02-28T00:00:00Z');

const duration: Metric = {
  name: 'http.server.request.duration',
  unit: 's',
  kind: 'histogram',
  temporality: 'delta',
  isMonotonic: false,
};
const gauge: Metric = {
  name: 'queue.depth',
  unit: '{job}',
  kind: 'gauge',
  temporality: 'unspecified',
  isMonotonic: false,
};

function point(minute: number, fields: Partial<MetricPoint>): MetricPoint {
  return {
    resource: { service: 'payments', attributes: { 'service.instance.id': 'p-1' } },
    metric: duration,
    attributes: { 'http.request.method': 'POST', 'http.route': '/charge' },
    startNanos: START,
    timeNanos: START + BigInt(minute) * MINUTE,
    value: 0,
    count: 1,
    ...fields,
  };
}

/** Reports a point every minute. @returns the signals of each report */
function report(points: readonly Partial<MetricPoint>[], state = createMetricState()): ObservedSignal[][] {
  return points.map((fields, minute) => judgeMetrics([point(minute, fields)], state, NOW));
}

function times<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}

function summaries(reports: readonly (readonly ObservedSignal[])[]): (string | null)[] {
  return reports.map(([signal]) => signal?.summary ?? null);
}

describe('a duration', () => {
  const usual = { value: 0.3, count: 10 };
  const slow = { value: 24, count: 10 };

  it('far above its usual mean is a signal when it stays so for two reports', () => {
    const reports = report([...times(8, usual), slow, slow, usual, slow]);

    expect(summaries(reports).slice(8)).toEqual([
      null,
      'http.server.request.duration 2.4 s, usual 0.03 s (POST /charge)',
      null,
      null,
    ]);
    expect(reports[9]).toMatchObject([
      {
        type: 'metric',
        service: 'payments',
        severity: 'warning',
        detail: { type: 'metric', value: 2.4, threshold: 0.1, unit: 's' },
      },
    ]);
  });

  it('that is three times the usual value but still short is no signal', () => {
    const quick = { value: 0.9, count: 10 };

    expect(summaries(report([...times(8, usual), quick, quick, quick]))).toEqual(times(11, null));
  });

  it('that is unusually short is no signal', () => {
    expect(summaries(report([...times(8, { value: 0.9, count: 1 }), usual, usual]))).toEqual(times(10, null));
  });

  it('that is slow from the start is found by a fixed bound, in its unit', () => {
    const inMilliseconds = {
      metric: { ...duration, name: 'http.server.duration', unit: 'ms' },
      value: 12_000,
      count: 10,
    };

    expect(summaries(report(times(2, inMilliseconds)))).toEqual([
      null,
      'http.server.duration 1200 ms, limit 1000 ms (POST /charge)',
    ]);
  });

  it('stays a signal while it lasts, until it becomes the usual value after more than an hour', () => {
    const reports = report([...times(8, usual), ...times(200, slow)]);

    const odd = reports.filter((signals) => signals.length > 0).length;
    expect(odd).toBeGreaterThanOrEqual(63);
    expect(reports.at(-1)).toEqual([]);
  });

  it('is the mean over all outcomes of an operation', () => {
    const state = createMetricState();
    report(times(8, usual), state);
    const outcomes = (minute: number) => [
      point(minute, { value: 0.03, count: 1, attributes: { 'http.route': '/charge', 'http.request.method': 'POST' } }),
      point(minute, {
        value: 99,
        count: 49,
        attributes: { 'http.route': '/charge', 'http.request.method': 'POST', 'http.response.status_code': 503 },
      }),
    ];

    judgeMetrics(outcomes(8), state, NOW);
    const signals = judgeMetrics(outcomes(9), state, NOW);

    expect(signals.map(({ summary }) => summary)).toEqual([
      'http.server.request.duration 2 s, usual 0.03 s (POST /charge)',
    ]);
  });

  it('sent as a total counts its increase since the last report, also after a restart', () => {
    const metric: Metric = { ...duration, temporality: 'cumulative' };
    const total = (value: number, count: number, startNanos = START) => ({ metric, value, count, startNanos });
    const normal = Array.from({ length: 8 }, (_, index) => total(0.3 * (index + 1), 10 * (index + 1)));
    const restarted = START + 9n * MINUTE;

    const reports = report([
      ...normal,
      total(26.4, 90),
      total(26.4, 90),
      total(24, 10, restarted),
      total(48, 20, restarted),
    ]);

    expect(summaries(reports).slice(8)).toEqual([
      null,
      null,
      'http.server.request.duration 2.4 s, usual 0.03 s (POST /charge)',
      'http.server.request.duration 2.4 s, usual 0.03 s (POST /charge)',
    ]);
  });

  it('sent again after a refusal gets the same verdict', () => {
    const metric: Metric = { ...duration, temporality: 'cumulative' };
    const state = createMetricState();
    judgeMetrics([point(0, { metric, value: 2, count: 1 })], state, NOW);
    const second = [point(1, { metric, value: 4, count: 2 })];

    const first = judgeMetrics(second, state, NOW);
    const again = judgeMetrics(second, state, NOW);

    expect(first).toHaveLength(1);
    expect(again).toEqual(first);
  });

  it('of one instance does not affect that of another', () => {
    const state = createMetricState();
    const of = (instance: string, fields: Partial<MetricPoint>) => ({
      ...fields,
      resource: { service: 'payments', attributes: { 'service.instance.id': instance } },
    });
    report(times(8, of('p-1', usual)), state);
    report(times(8, of('p-2', { value: 30, count: 1 })), state);

    const reports = [8, 9].map((minute) => judgeMetrics([point(minute, of('p-1', slow))], state, NOW));

    expect(summaries(reports)[1]).toContain('usual 0.03 s');
  });
});

describe('a utilization', () => {
  const cpu: Metric = { ...gauge, name: 'system.cpu.utilization', unit: '1' };
  const readings = (value: number, attributes: Attributes = {}) => times(2, { metric: cpu, value, attributes });

  it('at 95 % or above is a signal', () => {
    expect(summaries(report(readings(0.97)))).toEqual([null, 'system.cpu.utilization 97 %, limit 95 %']);
    expect(summaries(report(readings(0.94)))).toEqual([null, null]);
  });

  it('of idle or free parts is no signal', () => {
    expect(summaries(report(readings(0.99, { 'cpu.mode': 'idle' })))).toEqual([null, null]);
    expect(summaries(report(readings(0.99, { 'system.memory.state': 'free' })))).toEqual([null, null]);
    expect(summaries(report(readings(0.99, { 'system.memory.state': 'used' })))[1]).not.toBeNull();
  });
});

describe('a count', () => {
  it('of waiting items is judged only by its usual value', () => {
    const depth = (value: number) => ({ metric: gauge, value, attributes: {} });

    const reports = report([depth(5000), depth(5000), ...times(7, depth(20)), depth(300), depth(300)]);

    expect(summaries(reports).slice(0, 2)).toEqual([null, null]);
    expect(summaries(reports).at(-1)).toBeNull(); // 5000 was seen before
    const calm = report([...times(8, depth(20)), depth(300), depth(300)]);
    expect(summaries(calm).at(-1)).toBe('queue.depth 300, usual 20');
  });

  it('of failures is judged by its increase', () => {
    const errors: Metric = {
      ...gauge,
      name: 'payments.errors',
      kind: 'sum',
      temporality: 'cumulative',
      isMonotonic: true,
    };
    const totals = [1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1058, 1108];

    const reports = report(totals.map((value) => ({ metric: errors, value, attributes: {} })));

    expect(summaries(reports)).toEqual([...times(10, null), 'payments.errors 50, usual 1']);
  });

  it('of other things is never judged', () => {
    const users = { ...gauge, name: 'users.online' };

    const reports = report([...times(10, { metric: users, value: 1 }), ...times(5, { metric: users, value: 9_999 })]);

    expect(reports.flat()).toEqual([]);
  });

  it('that is not a number is never judged', () => {
    expect(report(times(20, { metric: gauge, value: Number.NaN })).flat()).toEqual([]);
  });
});
