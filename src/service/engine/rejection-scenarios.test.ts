import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { spanItem } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FLOOD = START + 15 * MINUTE;
const END = START + 35 * MINUTE;

describe('a flood of requests that are rejected at once', () => {
  it.each([
    ['with no route', 'GET'],
    ['at an operation that usually goes on to others', 'GET /products'],
  ])('opens no incident, %s', (_, operation) => {
    const usual = pages(START, END, 400);
    const flood = rejections(operation, FLOOD, FLOOD + 4 * MINUTE, 70);

    expect(rootsOf([...usual, ...flood])).toEqual([]);
  });

  it('does not hide that an operation stops calling a service', () => {
    const usual = pages(START, FLOOD, 400);
    const empty = pages(FLOOD, END, 400).filter(({ service }) => service === 'web');
    const withoutCalls = empty.filter(({ role }) => role === 'server');

    expect(rootsOf([...usual, ...withoutCalls])).toHaveLength(1);
  });
});

/** `web` makes each page from an internal step and an answer of `catalog`, whose call has the name of its method. */
function pages(from: number, until: number, everyMs: number): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = from, index = 0; at < until; at += everyMs, index += 1) {
    const ms = 40 + (index % 7) * 5;
    const page = spanItem({ service: 'web', operation: 'GET /products', at: at + ms, durationMs: ms });
    const { traceId } = page;
    const step = { traceId, service: 'web', role: 'internal', operation: 'render', parentSpanId: page.spanId } as const;
    const call = { traceId, service: 'web', role: 'client', operation: 'GET', peer: 'catalog' } as const;
    const render = spanItem({ ...step, at: at + ms - 1, durationMs: ms - 2 });
    const sent = spanItem({ ...call, parentSpanId: render.spanId, at: at + ms - 2, durationMs: ms - 10 });
    const answer = { traceId, service: 'catalog', operation: 'GET /all', parentSpanId: sent.spanId } as const;
    spans.push(page, render, sent, spanItem({ ...answer, at: at + ms - 3, durationMs: ms - 12 }));
  }
  return spans;
}

function rejections(operation: string, from: number, until: number, everyMs: number): SpanItem[] {
  const count = Math.floor((until - from) / everyMs);
  return Array.from({ length: count }, (_, index) =>
    spanItem({ service: 'web', operation, at: from + index * everyMs, durationMs: 1, isRejected: true }),
  );
}

function rootsOf(items: readonly SpanItem[]): string[] {
  const inOrder = items.toSorted((a, b) => a.at - b.at);
  return incidentsIn(feedEngine(createEngineState(), inOrder)).map(({ root }) => root);
}
