import { describe, expect, it } from 'vitest';
import { spanItem } from '../../../test/support/span-item.ts';
import type { AlertItem, LogItem, SpanItem, TelemetryItem } from '../core/telemetry-item.ts';
import { advance, correlateAlerts, createEngineState, type EngineState, observe, takeAlerts } from './engine.ts';

const SECOND = 1_000;
const NOW = Date.parse('2026-01-01T00:00:00Z');
/** Processor time. A busy machine needs up to five times as much for the same work. */
const MAX_TICK_MS = 4_000;

function span(values: Partial<SpanItem>): SpanItem {
  return spanItem({ at: NOW, ...values });
}

function log(values: Partial<LogItem>): LogItem {
  return {
    kind: 'log',
    service: 'checkout',
    at: NOW,
    severity: 'info',
    text: '',
    traceId: null,
    spanId: null,
    ...values,
  };
}

function alert(values: Partial<AlertItem>): AlertItem {
  return {
    kind: 'alert',
    service: 'checkout',
    at: NOW,
    instance: null,
    fingerprint: '',
    family: 'alert',
    peer: null,
    subject: '',
    strength: 1,
    traceId: null,
    hasEnded: false,
    ...values,
  };
}

function tick(state: EngineState, at: number): number {
  const before = process.cpuUsage();
  const alerts = takeAlerts(state);
  advance(state, at);
  correlateAlerts(state, at, alerts);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** @returns the longest tick */
function feed(state: EngineState, items: Iterable<TelemetryItem>, from: number, to: number): number {
  for (const item of items) {
    observe(state, item, 'hostile');
  }
  let longestMs = 0;
  for (let at = from; at <= to; at += 5 * SECOND) {
    longestMs = Math.max(longestMs, tick(state, at));
  }
  return longestMs;
}

describe('times far apart', () => {
  it.each([
    ['1970', 1_000],
    ['a year ago', NOW - 365 * 86_400 * SECOND],
    ['a day ago', NOW - 86_400 * SECOND],
  ])('do not make the engine process each slot between %s and now', (_, at) => {
    const state = createEngineState();

    const longestMs = feed(state, [span({ at }), span({})], NOW + 10 * SECOND, NOW + 60 * SECOND);

    expect(longestMs).toBeLessThan(MAX_TICK_MS);
  });

  it('do not date a failure after a silence back into the silence', () => {
    const state = createEngineState();
    feed(state, [span({})], NOW, NOW + 5 * 60 * SECOND);
    const later = NOW + 20 * 60 * SECOND;
    const failures = Array.from({ length: 20 }, () => span({ at: later, isFailed: true }));
    for (const item of failures) {
      observe(state, item);
    }

    const opened = [5, 10, 15, 20, 25, 30]
      .flatMap((seconds) => advance(state, later + seconds * SECOND))
      .filter(({ type }) => type === 'opened');

    expect(opened).toHaveLength(1);
    expect(opened[0]?.at).toBeGreaterThanOrEqual(later);
    expect(opened[0]?.incident.lastAt).toBeGreaterThanOrEqual(later);
  });
});

describe('a tick stays short', () => {
  it('with made-up steps of many operations, in two waves', () => {
    const state = createEngineState();
    const wave = (at: number) =>
      range(100).flatMap((operation) =>
        range(13).flatMap((run) => {
          const traceId = `${at}-${operation}-${run}`;
          const root = span({ at, traceId, spanId: 'root', operation: `operation ${operation}`.padEnd(100, 'x') });
          const steps = range(15).map((step) =>
            span({ at, traceId, parentSpanId: 'root', operation: `${traceId}-${step}`.padEnd(100, 'x') }),
          );
          return [root, ...steps];
        }),
      );

    const first = feed(state, wave(NOW), NOW, NOW + 80 * SECOND);
    const second = feed(state, wave(NOW + 80 * SECOND), NOW + 80 * SECOND, NOW + 160 * SECOND);

    expect(Math.max(first, second)).toBeLessThan(MAX_TICK_MS);
  });

  it('with 150,000 changes', () => {
    const state = createEngineState();
    const changes = range(150_000).map(
      (index): TelemetryItem => ({ kind: 'change', service: `service-${index % 1_000}`, at: NOW, subject: `${index}` }),
    );

    expect(feed(state, changes, NOW + 5 * SECOND, NOW + 30 * SECOND)).toBeLessThan(2 * MAX_TICK_MS);
  });

  it('with 150,000 alerts', () => {
    const state = createEngineState();
    const alerts = range(150_000).map((index) =>
      alert({ service: `service-${index % 50}`, fingerprint: `alert ${index}`, subject: `alert ${index}` }),
    );

    expect(feed(state, alerts, NOW + 5 * SECOND, NOW + 30 * SECOND)).toBeLessThan(4 * MAX_TICK_MS);
  });

  it('with one trace of 50,000 spans', () => {
    const state = createEngineState();
    const spans = range(50_000).map((index) =>
      span({
        traceId: 'one',
        spanId: `span ${index}`,
        parentSpanId: index === 0 ? null : `span ${index - 1}`,
        service: `service-${index % 20}`,
        isFailed: true,
      }),
    );

    expect(feed(state, spans, NOW + 5 * SECOND, NOW + 30 * SECOND)).toBeLessThan(2 * MAX_TICK_MS);
  });

  it('with error lines that are all different', () => {
    const state = createEngineState();
    const lines = range(100_000).map((index) =>
      log({ severity: 'error', text: `cannot ${word(index)} the ${word(index * 7)} of ${word(index * 13)}` }),
    );

    expect(feed(state, lines, NOW + 5 * SECOND, NOW + 30 * SECOND)).toBeLessThan(2 * MAX_TICK_MS);
  });
});

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** Letters only: digits are masked. */
function word(index: number): string {
  return Array.from(index.toString(26), (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
}
