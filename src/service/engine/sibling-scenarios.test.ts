import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 12 * MINUTE;
const END = FAULT + 3 * MINUTE;

/** Spring Cloud Gateway 4 with the Java agent 2: a handler span beside the span of the call that it waits for. */
describe('a gateway whose handler span is a sibling of the call that it waits for', () => {
  it.each([
    { what: 'a database behind the called service', slow: 'orders-db' },
    { what: 'the called service', slow: 'orders' },
    { what: 'the gateway itself', slow: 'gateway' },
  ])('is blamed only for what it does itself: $what is slow', ({ slow }) => {
    expect(rootsOf(spansOf(slow))).toEqual([slow]);
  });
});

function spansOf(slow: string): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 400, index += 1) {
    const extraMs = (service: string) => (at >= FAULT && slow === service ? 1_500 : 0);
    const noiseMs = (index * 7) % 5;
    const databaseMs = 4 + noiseMs + extraMs('orders-db');
    const ordersMs = databaseMs + 6 + extraMs('orders');
    const callMs = ordersMs + 2;
    const ownMs = 3 + extraMs('gateway');
    const add = traceBuilder(spans, at, spans.length);
    const gateway = add(null, { service: 'gateway', operation: 'GET /orders', durationMs: ownMs + callMs + 3 });
    const handler = { service: 'gateway', operation: 'FilteringWebHandler.handle', role: 'internal' } as const;
    add(gateway, { ...handler, durationMs: ownMs + callMs + 1 });
    const called = { service: 'gateway', operation: 'HTTP GET', role: 'client' } as const;
    const call = add(gateway, { ...called, durationMs: callMs, at: at + ownMs + callMs });
    const ordersAt = at + ownMs + callMs - 1;
    const orders = add(call, { service: 'orders', durationMs: ordersMs, at: ordersAt });
    const select = { operation: 'SELECT', role: 'client', peer: 'orders-db' } as const;
    add(orders, { service: 'orders', ...select, durationMs: databaseMs, at: ordersAt - 1 });
  }
  return spans.toSorted((a, b) => a.at - b.at);
}

function rootsOf(spans: readonly SpanItem[]): string[] {
  return incidentsIn(feedEngine(createEngineState(), spans)).map(({ root }) => root);
}
