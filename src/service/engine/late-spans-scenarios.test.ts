import { describe, expect, it } from 'vitest';
import { incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { LogItem, SpanItem, TelemetryItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, observe } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const LATE_FROM = START + 15 * MINUTE;
const LATE_UNTIL = LATE_FROM + 6 * MINUTE;
const END = LATE_UNTIL + 2 * MINUTE;

describe('a healthy service whose spans come late, as of an exporter that backs off', () => {
  it.each([20, 45, 90])('is no incident when its lines come in time, %d s before the spans', (seconds) => {
    expect(rootsOf({ delayMs: seconds * SECOND })).toEqual([]);
  });

  it('is no incident when a span comes after those that it contains', () => {
    expect(rootsOf({ delayMs: 20 * SECOND, innerFirst: true })).toEqual([]);
  });

  it('is no incident when its exporter sends once a minute what has waited', () => {
    const waitedMs = (at: number) => MINUTE - ((at - LATE_FROM) % MINUTE) + 15 * SECOND;

    expect(rootsOf({ delayMs: waitedMs })).toEqual([]);
  });
});

it('notices that a service stops a step, though its spans came late before', () => {
  expect(rootsOf({ delayMs: 45 * SECOND, stopsAt: LATE_UNTIL + MINUTE })).toEqual(['stock']);
});

it('loses no time on the way to a service whose spans come two minutes late, while one behind it reports in time', () => {
  const arrivals: Arrival[] = [];
  for (let at = START; at < END; at += 500) {
    const spans: SpanItem[] = [];
    const add = traceBuilder(spans, at);
    const web = add(null, { service: 'web', operation: 'GET /', durationMs: 300 });
    const call = add(web, { service: 'web', role: 'client', operation: 'GET', peer: 'orders', durationMs: 290 });
    const orders = add(call, { service: 'orders', operation: 'GET /orders', durationMs: 280 });
    const next = add(orders, { service: 'orders', role: 'client', operation: 'GET', peer: 'stock', durationMs: 20 });
    add(next, { service: 'stock', operation: 'GET /stock', durationMs: 10 });
    const isHeld = at >= LATE_FROM && at < LATE_FROM + 2 * MINUTE;
    for (const item of spans) {
      arrivals.push({ item, arrivesAt: isHeld && item.service === 'orders' ? LATE_FROM + 2 * MINUTE : item.at });
    }
  }
  expect(rootsOfArrivals(arrivals)).toEqual([]);
});

describe('a service whose spans always come late', () => {
  it('is blamed for what it fails, not the one behind it that reports in time', () => {
    expect(rootsBehindLate({ isGone: false })).toEqual(['orders']);
  });

  it('is not blamed for calls to a process that is gone', () => {
    expect(rootsBehindLate({ isGone: true })).toEqual(['stock']);
  });

  it('is not blamed for calls to a database that gets slow and sends no spans', () => {
    const arrivals: Arrival[] = [];
    for (let at = START, index = 0; at < END; at += 500, index += 1) {
      const spans: SpanItem[] = [];
      const add = traceBuilder(spans, at);
      const queryMs = (at >= END - 3 * MINUTE ? 500 : 10) + (index % 5);
      const get = { role: 'client', operation: 'GET' } as const;
      const web = add(null, { service: 'web', operation: 'GET /', durationMs: queryMs + 20 });
      const call = add(web, { ...get, service: 'web', peer: 'orders', durationMs: queryMs + 15 });
      const orders = add(call, { service: 'orders', operation: 'GET /orders', durationMs: queryMs + 10 });
      add(orders, { service: 'orders', role: 'client', operation: 'SELECT', peer: 'orders-db', durationMs: queryMs });
      const delayMs = (item: SpanItem) => (item.service === 'orders' ? 25 * SECOND : 0);
      arrivals.push(...spans.map((item) => ({ item, arrivesAt: item.at + delayMs(item) })));
    }

    expect(rootsOfArrivals(arrivals)).toEqual(['orders-db']);
  });
});

/** `web` calls `orders`, whose spans come 25 s late and which calls `stock`. Either `orders` fails, or `stock` is gone. */
function rootsBehindLate({ isGone }: { readonly isGone: boolean }): string[] {
  const arrivals: Arrival[] = [];
  for (let at = START; at < END; at += 500) {
    const isFailed = at >= END - 3 * MINUTE;
    const spans: SpanItem[] = [];
    const add = traceBuilder(spans, at);
    const web = add(null, { service: 'web', operation: 'GET /', durationMs: 40, isFailed });
    const get = { role: 'client', operation: 'GET' } as const;
    const call = add(web, { ...get, service: 'web', peer: 'orders', durationMs: 30, isFailed });
    const orders = add(call, {
      service: 'orders',
      operation: 'GET /orders',
      durationMs: 28,
      isFailed: isFailed && isGone,
    });
    if (!isFailed || isGone) {
      const next = add(orders, { ...get, service: 'orders', peer: 'stock', durationMs: 20, isFailed });
      if (!isFailed) {
        add(next, { service: 'stock', operation: 'GET /stock', durationMs: 10 });
      }
    }
    for (const item of spans) {
      arrivals.push({ item, arrivesAt: item.service === 'orders' ? item.at + 25 * SECOND : item.at });
    }
  }
  return rootsOfArrivals(arrivals);
}

interface World {
  /** How much later the spans of `stock` come between `LATE_FROM` and `LATE_UNTIL`, given when they end. */
  readonly delayMs: number | ((at: number) => number);
  /** Whether its inner spans come in time, and 15 s more pass before the others. */
  readonly innerFirst?: boolean;
  /** From then on, `stock` does not query any more. */
  readonly stopsAt?: number;
}

function rootsOf(world: World): string[] {
  return rootsOfArrivals(telemetryOf(world));
}

function rootsOfArrivals(arrivals: readonly Arrival[]): string[] {
  const state = createEngineState();
  const events: CorrelationEvent[] = [];
  for (const { item, arrivesAt } of arrivals.toSorted((a, b) => a.arrivesAt - b.arrivesAt)) {
    events.push(...advance(state, arrivesAt));
    observe(state, item);
  }
  events.push(...advance(state, END + 2 * MINUTE));
  return incidentsIn(events).map(({ root }) => root);
}

interface Arrival {
  readonly item: TelemetryItem;
  readonly arrivesAt: number;
}

/** `web` calls `stock`, which writes a line and queries. All exporters send every second. */
function telemetryOf({ delayMs, innerFirst = false, stopsAt = Number.POSITIVE_INFINITY }: World): Arrival[] {
  const arrivals: Arrival[] = [];
  const send = (item: TelemetryItem, lateMs = 0) => {
    arrivals.push({ item, arrivesAt: Math.ceil(item.at / SECOND) * SECOND + lateMs });
  };
  for (let at = START, index = 0; at < END; at += 300 + (index % 5) * 20, index += 1) {
    const spans: SpanItem[] = [];
    const add = traceBuilder(spans, at);
    const workMs = 12 + (index % 7);
    const page = add(null, { service: 'web', operation: 'GET /', durationMs: workMs + 8 });
    const call = { service: 'web', role: 'client', operation: 'GET', peer: 'stock' } as const;
    const stock = add(add(page, { ...call, durationMs: workMs + 4 }), {
      service: 'stock',
      operation: 'GET /stock',
      durationMs: workMs,
    });
    if (at < stopsAt) {
      add(stock, { service: 'stock', role: 'internal', operation: 'query', durationMs: workMs / 2 });
    }
    send(lineOf(stock));
    const lateMs = typeof delayMs === 'number' ? delayMs : delayMs(at);
    const isLate = at >= LATE_FROM && at < LATE_UNTIL;
    for (const span of spans) {
      const isHeld = isLate && span.service === 'stock' && !(innerFirst && span.role === 'internal');
      send(span, isHeld ? lateMs + (innerFirst ? 15 * SECOND : 0) : 0);
    }
  }
  return arrivals.toSorted((a, b) => a.arrivesAt - b.arrivesAt);
}

function lineOf({ service, at, traceId, spanId }: SpanItem): LogItem {
  return { kind: 'log', service, at: at - 5, text: 'looked up', severity: 'info', traceId, spanId };
}
