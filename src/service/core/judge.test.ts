import { describe, expect, it } from 'vitest';
import { foldSignals } from './fold.ts';
import { judgeLog } from './judge-logs.ts';
import { judgeSpan } from './judge-spans.ts';
import type { Attributes, LogRecord, Span } from './telemetry.ts';
import { clip, template } from './text.ts';

const NOW = new Date('2026-01-31T08:00:10.000Z');
const NANOS = 1_769_846_400_000_000_000n; // 2026-01-31T08:00:00Z

function judgeSpans(spans: readonly Span[], now: Date) {
  return foldSignals(spans.flatMap((each) => judgeSpan(each, now) ?? []));
}

function judgeLogs(records: readonly LogRecord[], now: Date) {
  return foldSignals(records.flatMap((each) => judgeLog(each, now) ?? []));
}

function span(fields: Partial<Span> = {}, service = 'payments'): Span {
  return {
    resource: { service, attributes: { 'service.name': service, 'host.name': 'h1', 'process.command': 'secret' } },
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    parentSpanId: null,
    name: 'POST /charge',
    kind: 'server',
    startNanos: NANOS,
    endNanos: NANOS + 1_500_000n,
    attributes: {},
    status: 'error',
    statusMessage: '',
    exception: null,
    ...fields,
  };
}

function exception(message: string): Attributes {
  return { 'exception.type': 'Refused', 'exception.message': message };
}

function record(fields: Partial<LogRecord> = {}): LogRecord {
  return {
    resource: { service: 'payments', attributes: {} },
    timeNanos: NANOS,
    severityNumber: 17,
    severityText: '',
    body: 'charge 17 failed',
    attributes: {},
    traceId: null,
    spanId: null,
    ...fields,
  };
}

describe('a span', () => {
  it('that failed becomes a trace signal with the operation and the reason', () => {
    const [signal] = judgeSpans([span({ exception: exception('connection refused') })], NOW);

    expect(signal).toMatchObject({
      type: 'trace',
      service: 'payments',
      summary: 'POST /charge fails (connection refused)',
      severity: 'error',
      observedAt: new Date('2026-01-31T08:00:00.001Z'),
      occurrences: 1,
      source: { format: 'otlp', 'host.name': 'h1' },
      detail: { type: 'trace', durationMs: 1.5, status: 'error' },
    });
    expect(signal?.source).not.toHaveProperty('process.command');
  });

  it.each([
    ['succeeded, however slow it was', span({ status: 'unset', endNanos: NANOS + 60_000_000_000n }), 0],
    [
      'has HTTP status 404 and status unset',
      span({ status: 'unset', attributes: { 'http.response.status_code': 404 } }),
      0,
    ],
    [
      'has HTTP status 502 and status unset, as of a proxy',
      span({ status: 'unset', attributes: { 'http.status_code': 502 } }),
      1,
    ],
    ['has HTTP status 500 and status ok', span({ status: 'ok', attributes: { 'http.response.status_code': 500 } }), 0],
    ['has an exception', span({ status: 'unset', exception: exception('no') }), 1],
    ['has an exception and status ok', span({ status: 'ok', exception: exception('no') }), 0],
    ['has the status error', span({ attributes: { 'http.response.status_code': 404 } }), 1],
  ])('that %s', (_, each, signals) => {
    expect(judgeSpans([each], NOW)).toHaveLength(signals);
  });

  it.each([
    ['the status message', span({ statusMessage: 'no stock' }), 'POST /charge fails (no stock)'],
    ['the HTTP status', span({ attributes: { 'http.response.status_code': 503 } }), 'POST /charge fails (HTTP 503)'],
    ['the error type', span({ attributes: { 'error.type': 'timeout' } }), 'POST /charge fails (timeout)'],
    ['nothing', span(), 'POST /charge fails'],
    [
      'the peer of a call',
      span({ name: 'POST', kind: 'client', attributes: { 'peer.service': 'bank' }, statusMessage: 'no answer' }),
      'POST to bank fails (no answer)',
    ],
    [
      'the address of a call',
      span({ name: 'GET', kind: 'client', attributes: { 'server.address': 'bank.local', 'server.port': 8080 } }),
      'GET to bank.local:8080 fails',
    ],
  ])('is described with %s', (_, each, summary) => {
    expect(judgeSpans([each], NOW)[0]?.summary).toBe(summary);
  });

  it('folds with equal failures of its batch into the earliest', () => {
    const failures = [
      span({ exception: exception('order 4711 not found'), endNanos: NANOS + 2_000_000n }),
      span({ exception: exception('order 815 not found'), endNanos: NANOS }),
      span({ exception: exception('order 815 not found') }, 'orders'),
      span({ exception: exception('no such customer') }),
    ];

    const signals = judgeSpans(failures, NOW);

    expect(signals.map(({ service, occurrences }) => [service, occurrences])).toEqual([
      ['payments', 2],
      ['orders', 1],
      ['payments', 1],
    ]);
    expect(signals[0]?.summary).toBe('POST /charge fails (order 815 not found)');
  });

  it('from a clock that runs ahead is observed now', () => {
    const [signal] = judgeSpans([span({ endNanos: NANOS + 86_400_000_000_000n })], NOW);

    expect(signal?.observedAt).toEqual(NOW);
  });
});

describe('a log record', () => {
  it.each([
    [16, '', []],
    [17, '', ['error']],
    [20, '', ['error']],
    [21, '', ['critical']],
    [0, 'ERROR', ['error']],
    [0, 'Fatal', ['critical']],
    [9, 'ERROR', []],
  ])('of severity %i %j is judged %j', (severityNumber, severityText, severities) => {
    const signals = judgeLogs([record({ severityNumber, severityText })], NOW);

    expect(signals.map(({ severity }) => severity)).toEqual(severities);
  });

  it('folds by its template', () => {
    const bodies = ['charge 17 of "ann" failed', 'charge 9 of "bob" failed', 'no connection to 10.0.0.7:5432'];

    const signals = judgeLogs(
      bodies.map((body) => record({ body })),
      NOW,
    );

    expect(signals.map(({ summary, occurrences }) => [summary, occurrences])).toEqual([
      ['charge 17 of "ann" failed', 2],
      ['no connection to 10.0.0.7:5432', 1],
    ]);
  });

  it('is described by its exception when it has no body, and may have a structured one', () => {
    const attributes = exception('connection refused');

    const signals = judgeLogs([record({ body: null, attributes }), record({ body: { code: 7 } })], NOW);

    expect(signals.map(({ summary }) => summary)).toEqual(['Refused: connection refused', '{"code":7}']);
  });

  it('keeps storable text only', () => {
    const [signal] = judgeLogs([record({ body: `a\u0000b\ud800${'x'.repeat(9_999)}`, timeNanos: null })], NOW);

    expect(signal?.summary).toMatch(/^a\ufffdb\ufffdx+…$/);
    expect(signal?.summary).toHaveLength(200);
    expect(signal?.detail).toMatchObject({ body: expect.stringMatching(/^a\ufffdb\ufffdx{3995}…$/) });
    expect(signal?.observedAt).toEqual(NOW);
  });
});

describe('a template', () => {
  it.each([
    ['order 4711 took 12.5 ms', 'order <n> took <n> ms'],
    ['user 550e8400-e29b-41d4-a716-446655440000 is gone', 'user <id> is gone'],
    ['span 0xdeadbeef of 4bf92f3577b34da6', 'span <id> of <id>'],
    ['from 10.0.0.7:5432 and fe80::1ff:fe23:4567:890a', 'from <ip> and <ip>'],
    [`no 'bell' in "stock"`, 'no <text> in <text>'],
    ["can't reach it, doesn't answer", "can't reach it, doesn't answer"],
    ['first line\nsecond line', 'first line'],
    ['defaced facade', 'defaced facade'],
    ['GET /api/v1/orders/4711', 'GET /api/v1/orders/<n>'],
    ['GET /v18.0/me and POST /v2', 'GET /v18.0/me and POST /v2'],
    ['shop.v1beta1.Orders/Get', 'shop.v1beta1.Orders/Get'],
    ['GET /files/v1234/v7-3', 'GET /files/v<n>/v<n>-<n>'],
    ['build app.v1.2.3', 'build app.v<n>'],
  ])('of %j is %j', (text, expected) => {
    expect(template(text)).toBe(expected);
  });

  it('of hostile text is short', () => {
    const hostile = [
      "'".repeat(50_000),
      '"'.repeat(50_001),
      ':'.repeat(50_000),
      'a'.repeat(50_000),
      '1.'.repeat(50_000),
      '/v1'.repeat(50_000),
    ];

    const templates = hostile.map(template);

    expect(templates.every((each) => each.length <= 250)).toBe(true);
  });

  it('is never cut inside a character', () => {
    expect(clip('🔔🔔🔔', 4)).toBe('🔔…');
  });
});
