import { describe, expect, it } from 'vitest';
import type { Span } from '../core/telemetry.ts';
import { readSpans } from './read-telemetry.ts';

const NANOS = 1_769_846_400_000_000_000n;

function read(fields: Partial<Span>, resource: Span['resource']['attributes'] = {}) {
  const span: Span = {
    resource: { service: 'payments', attributes: resource },
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    parentSpanId: null,
    name: 'POST /charge',
    kind: 'server',
    startNanos: NANOS,
    endNanos: NANOS + 1_500_000n,
    attributes: {},
    status: 'unset',
    statusMessage: '',
    exception: null,
    ...fields,
  };
  return readSpans([span], new Date('2026-01-31T08:00:10Z')).telemetry[0];
}

describe('a span for correlation', () => {
  it.each([
    ['a client that was told 404', 'client', 404, false],
    ['a client that was told 429: the callee is overloaded', 'client', 429, true],
    ['a client that was told 408: the callee gave up', 'client', 408, true],
    ['a client that was told 503', 'client', 503, true],
    ['a server that answered 404', 'server', 404, false],
    ['a server that answered 500', 'server', 500, true],
  ] as const)('%s', (_, kind, status, isFailed) => {
    const marked = kind === 'client' || status === 500 ? 'error' : 'unset';

    expect(read({ kind, status: marked, attributes: { 'http.response.status_code': status } })).toMatchObject({
      isFailed,
    });
  });

  it.each([
    ['client', 404, true],
    ['client', 429, undefined],
    ['server', 404, true],
    ['server', 429, true],
    ['server', 200, undefined],
  ] as const)('of a %s with status %d may say that the request was rejected', (kind, status, isRejected) => {
    const read404 = read({ kind, attributes: { 'http.response.status_code': status } });

    expect(read404).toHaveProperty('isFailed', false);
    expect(read404?.kind === 'span' && read404.isRejected).toBe(isRejected);
  });

  it.each([
    ['a call without a status or a response', 'client', 'unset', {}, true],
    ['a call of a browser without a response', 'client', 'unset', { 'http.status_code': 0 }, true],
    ['a step without a status', 'internal', 'unset', {}, true],
    ['a step that went well', 'internal', 'ok', {}, undefined],
    ['a call over HTTP', 'client', 'unset', { 'http.response.status_code': 200 }, undefined],
    ['a call over gRPC', 'client', 'unset', { 'rpc.grpc.status_code': 0 }, undefined],
    ['a server', 'server', 'unset', {}, undefined],
  ] as const)('of %s may not tell how it ended', (_, kind, status, attributes, isUntold) => {
    const item = read({ kind, status, attributes });

    expect(item).toHaveProperty('isFailed', false);
    expect(item?.kind === 'span' && item.isUntold).toBe(isUntold);
  });

  it.each([
    ['a stream, after ten minutes', 600, 'rpc.grpc.status_code', '4', false],
    ['a stream of Connect', 600, 'rpc.connect_rpc.error_code', 'deadline_exceeded', false],
    ['a call, after half a minute', 30, 'rpc.grpc.status_code', '4', true],
    ['a stream that broke', 600, 'rpc.grpc.status_code', '14', true],
  ] as const)('of %s did not fail if only its deadline ended it', (_, seconds, key, status, isFailed) => {
    const endNanos = 1_769_846_400_000_000_000n;
    const times = { startNanos: endNanos - BigInt(seconds) * 1_000_000_000n, endNanos };

    const item = read({ kind: 'client', status: 'error', attributes: { [key]: status }, ...times });

    expect(item).toHaveProperty('isFailed', isFailed);
  });

  it.each([
    ['client', 'NOT_FOUND', true, false],
    ['client', '1', 'cancelled', false],
    ['client', 'RESOURCE_EXHAUSTED', undefined, true],
    ['client', '14', undefined, true],
    ['server', '5', true, false],
    ['server', '8', true, false],
    ['server', 'UNAVAILABLE', undefined, true],
    ['server', '0', undefined, false],
  ] as const)(
    'of a %s of gRPC with status %s may say that the request was rejected',
    (kind, code, isRejected, isFailed) => {
      const isError = kind === 'client';
      const item = read({
        kind,
        status: isError ? 'error' : 'unset',
        attributes: { 'rpc.system': 'grpc', 'rpc.grpc.status_code': code },
      });

      expect(item).toHaveProperty('isFailed', isFailed);
      expect(item?.kind === 'span' && item.isRejected).toBe(isRejected);
    },
  );

  it.each([
    ['Go', { status: 'error', statusMessage: 'Get "http://stock/": context canceled' }, 'cancelled'],
    ['a browser', { status: 'error', attributes: { 'error.type': 'AbortError' } }, 'cancelled'],
    ['Java', { exception: { 'exception.type': 'java.util.concurrent.CancellationException' } }, 'cancelled'],
    [
      'a phone',
      { status: 'error', exception: { 'exception.type': 'NSError', 'exception.message': 'cancelled' } },
      'cancelled',
    ],
    ['Go, after a timeout', { status: 'error', statusMessage: 'context deadline exceeded' }, undefined],
    ['.NET, maybe after a timeout', { exception: { 'exception.type': 'TaskCanceledException' } }, undefined],
    [
      'a server that answered 500',
      { status: 'error', statusMessage: 'cancelled', attributes: { 'http.status_code': 500 } },
      undefined,
    ],
    ['a shop', { status: 'error', statusMessage: 'order 17 was cancelled' }, undefined],
  ] as const)('of a call that was cancelled by its caller did not fail: %s', (_, fields, isRejected) => {
    const item = read({ kind: 'client', ...fields });

    expect(item?.kind === 'span' && item.isRejected).toBe(isRejected);
    expect(item).toHaveProperty('isFailed', isRejected === undefined);
  });

  it('of a server whose caller cancelled the call of gRPC did not fail, also if it calls that an error', () => {
    const item = read({ kind: 'server', status: 'error', attributes: { 'rpc.grpc.status_code': '1' } });

    expect(item).toMatchObject({ isFailed: false, isRejected: 'cancelled' });
  });

  it('of a proxy whose client went away was not rejected by anybody', () => {
    const item = read({ kind: 'server', attributes: { 'http.response.status_code': 499 } });

    expect(item).toMatchObject({ isFailed: false, isRejected: 'cancelled' });
  });

  it('keeps the version of an API, which distinguishes two operations, and no ids', () => {
    expect(read({ name: 'GET /api/v1/orders/4711' })).toMatchObject({ operation: 'GET /api/v1/orders/<n>' });
  });

  it('counts for as many as its sender has left out', () => {
    expect(read({ traceState: 'ot=th:c' })).toMatchObject({ weight: 4 });
    expect(read({})).not.toHaveProperty('weight');
  });

  it('says which replica it is of', () => {
    expect(read({}, { 'service.instance.id': 'payments-2' })).toMatchObject({ instance: 'payments-2' });
    expect(read({})).not.toHaveProperty('instance');
  });

  it('says where it ran, and nothing else of its resource', () => {
    const resource = { 'service.version': '1.4.2', 'host.name': 'node-3', 'cloud.region': ' ', 'process.pid': 7 };

    expect(read({}, resource)).toHaveProperty('attributes', { version: '1.4.2', host: 'node-3' });
    expect(read({})).not.toHaveProperty('attributes');
  });
});
