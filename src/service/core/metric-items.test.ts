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

describe('durations of calls', () => {
  it.each([
    [
      'OpenTelemetry',
      'http.client.request.duration',
      { 'server.address': 'payments.shop.svc.cluster.local' },
      'payments',
    ],
    [
      'OpenTelemetry, a vendor',
      'http.client.request.duration',
      { 'server.address': 'api.bank.example' },
      'api.bank.example',
    ],
    [
      'a database',
      'db.client.operation.duration',
      { 'db.system.name': 'redis', 'server.address': 'cache' },
      'redis:cache',
    ],
    ['gRPC, old', 'rpc.client.duration', { 'net.peer.name': 'payments' }, 'payments'],
    ['Prometheus', 'http_client_request_duration_seconds', { server_address: 'payments' }, 'payments'],
    ['Micrometer', 'http.client.requests', { 'client.name': 'payments' }, 'payments'],
  ])('of %s tell how long its callee took, and how many calls to it failed', (_, name, attributes, peer) => {
    const items = toMetricItems([point(name, attributes, 30), point(name, { ...attributes, 'error.type': '503' }, 10)]);

    expect(items.map((item) => [item.meaning, item.peer, item.value, item.count])).toEqual([
      ['client_duration', peer, 0.1, 40],
      ['unavailability', peer, 0.25, 40],
    ]);
  });

  it.each([
    ['they name no callee', 'http.client.request.duration', {}],
    ['the callee is an address', 'http.client.request.duration', { 'server.address': '10.0.0.7' }],
    ['a client names nobody', 'http.client.requests', { 'client.name': 'none' }],
    ['a service calls itself', 'http.client.request.duration', { 'server.address': 'basket' }],
    ['a queue is waited for', 'messaging.client.operation.duration', { 'messaging.system': 'kafka' }],
  ])('are those of the service itself if %s', (_, name, attributes) => {
    const items = toMetricItems([point(name, { ...attributes, 'error.type': '503' }, 10)]);

    expect(items.map(({ meaning, peer }) => [meaning, peer])).toEqual([['client_duration', undefined]]);
  });

  it('of several operations give one share of failures for each callee', () => {
    const name = 'http.client.request.duration';
    const points = ['GET', 'POST'].map((method) =>
      point(name, { 'http.request.method': method, 'server.address': 'payments' }, 10),
    );

    const shares = toMetricItems(points).filter(({ meaning }) => meaning === 'unavailability');
    expect(shares.map(({ name: shown, count }) => [shown, count])).toEqual([['share of failed calls to payments', 20]]);
  });
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

describe('metrics of what has no service.name', () => {
  it.each([
    ['a broker, by its metrics', 'kafka.requests.failed', {}, 'kafka'],
    ['the consumers of a queue, by their group', 'kafka.consumer_group.lag', { group: 'mailer' }, 'mailer'],
    ['a host, by its name', 'system.cpu.utilization', { state: 'user' }, 'node-7'],
    ['a host, if they are of any Java process', 'jvm.cpu.recent_utilization', {}, 'node-7'],
  ])('are of %s', (_, name, attributes, service) => {
    const resource = { service: 'node-7', serviceBy: 'the host', attributes: { 'host.name': 'node-7' } };
    const metric = { name, unit: '1', kind: 'gauge', temporality: 'unspecified', isMonotonic: false } as const;
    const isTotal = name.endsWith('failed');
    const measured = isTotal ? ({ ...metric, kind: 'sum', isMonotonic: true } as const) : metric;

    const items = toMetricItems([{ ...point(name, attributes, 1), resource, metric: measured }]);

    expect(items.map((item) => item.service)).toEqual([service]);
  });

  it('are of another service if its sender names it', () => {
    const [item] = toMetricItems([point('http.server.request.duration', { group: 'mailer' }, 1)]);

    expect(item?.service).toBe('basket');
  });
});
