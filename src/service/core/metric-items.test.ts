import { describe, expect, it } from 'vitest';
import { toMetricItems } from './metric-items.ts';
import type { Attributes, MetricPoint } from './telemetry.ts';

const RESOURCE = { service: 'basket', attributes: {} } as MetricPoint['resource'];

describe('durations of a server', () => {
  it.each([
    [
      'OpenTelemetry',
      'http.server.request.duration',
      { 'http.response.status_code': 200 },
      { 'http.response.status_code': 503 },
    ],
    ['OpenTelemetry, a time-out', 'http.server.request.duration', {}, { 'error.type': 'timeout' }],
    ['OpenTelemetry, old', 'http.server.duration', { 'http.status_code': 404 }, { 'http.status_code': 500 }],
    [
      'gRPC',
      'rpc.server.call.duration',
      { 'rpc.response.status_code': 'NOT_FOUND' },
      { 'rpc.response.status_code': 'UNAVAILABLE' },
    ],
    ['gRPC, old', 'rpc.server.duration', { 'rpc.grpc.status_code': 5 }, { 'rpc.grpc.status_code': 13 }],
    [
      'Micrometer',
      'http.server.requests',
      { status: '200', outcome: 'SUCCESS' },
      { status: '500', outcome: 'SERVER_ERROR' },
    ],
    ['Prometheus', 'http_server_request_duration_seconds', { code: '2xx' }, { code: '5xx' }],
  ])('of %s tell the share of requests that failed', (_, name, good, bad) => {
    const items = toMetricItems([point(name, good, 30), point(name, bad, 10)]);

    expect(items.map(({ meaning, value, count }) => ({ meaning, value, count }))).toEqual([
      { meaning: 'duration', value: 0.1, count: 40 },
      { meaning: 'unavailability', value: 0.25, count: 40 },
    ]);
  });

  it('name the operation', () => {
    const [, failures] = toMetricItems([
      point('http.server.request.duration', { 'http.request.method': 'GET', 'http.route': '/api' }, 1),
    ]);

    expect(failures?.name).toBe('share of failed requests of GET /api');
  });

  it('of running totals count failed and all requests, so that the share of what is new is judged', () => {
    const name = 'http.server.request.duration';
    const points = [point(name, {}, 30), point(name, { 'error.type': '503' }, 10)].map((each) => ({
      ...each,
      metric: { ...each.metric, temporality: 'cumulative' as const },
    }));

    expect(toMetricItems(points).map(({ value, total }) => [value, total?.count])).toEqual([
      [4, 40],
      [10, 40],
    ]);
  });
});

it('durations of calls give no share of failures: those of the callee do', () => {
  const items = toMetricItems([point('http.client.request.duration', { 'error.type': '503' }, 10)]);

  expect(items.map(({ meaning }) => meaning)).toEqual(['client_duration']);
});

/** Requests that took 0.1 s each. */
function point(name: string, attributes: Attributes, count: number): MetricPoint {
  const metric = { name, unit: 's', kind: 'histogram', temporality: 'delta', isMonotonic: true } as const;
  return {
    resource: RESOURCE,
    metric,
    attributes,
    startNanos: 0n,
    timeNanos: 1_000_000_000n,
    value: 0.1 * count,
    count,
  };
}
