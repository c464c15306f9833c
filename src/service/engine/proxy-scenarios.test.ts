import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 15 * MINUTE;
const END = FAULT + 4 * MINUTE;
const EVERY_MS = 500;
const CALLEES = ['orders', 'users', 'prices'];

/** Whether the proxy, which sends no spans, fails a request without passing it on. */
type Fails = (at: number, index: number) => boolean;

describe('a proxy that sends no spans and passes calls on to several services', () => {
  it('opens nothing while it fails one call in fifty, as it always did', () => {
    expect(rootsOf((_, index) => index % 50 === 49)).toEqual([]);
  });

  it('is the root when it fails most calls', () => {
    expect(rootsOf((at, index) => at >= FAULT && index % 5 !== 0)).toEqual(['proxy']);
  });
});

it('keeps no account of each of many host names that one service answers behind', () => {
  const state = createEngineState();
  const spans: SpanItem[] = [];
  for (let index = 0; index < 3_000; index += 1) {
    const add = traceBuilder(spans, START + index * EVERY_MS);
    const web = add(null, { service: 'web', operation: 'GET /', durationMs: 30 });
    const peer = `orders-${index}`;
    const call = add(web, { service: 'web', role: 'client', operation: 'POST', peer, durationMs: 20 });
    add(call, { service: 'orders', operation: 'GET /orders', durationMs: 10 });
  }

  feedEngine(
    state,
    spans.toSorted((a, b) => a.at - b.at),
  );

  expect([...state.judge.accounts.byKey.values()].map(({ place }) => place).toSorted()).toEqual(['orders', 'web']);
});

function rootsOf(fails: Fails): string[] {
  return incidentsIn(feedEngine(createEngineState(), spansOf(fails))).map(({ root }) => root);
}

function spansOf(fails: Fails): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += EVERY_MS, index += 1) {
    const isFailed = fails(at, index);
    const add = traceBuilder(spans, at, spans.length);
    const web = add(null, { service: 'web', operation: 'GET /', durationMs: 30, isFailed });
    const call = add(web, {
      service: 'web',
      role: 'client',
      operation: 'POST',
      peer: 'proxy',
      durationMs: 20,
      isFailed,
    });
    const callee = CALLEES[index % CALLEES.length] ?? '';
    if (!isFailed) {
      add(call, { service: callee, operation: `GET /${callee}`, durationMs: 10 });
    }
  }
  return spans.toSorted((a, b) => a.at - b.at);
}
