import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { spanItem, traceBuilder } from '../../../test/support/span-item.ts';
import type { LogItem, SpanItem, TelemetryItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const CHANGE = START + 30 * MINUTE;
const END = CHANGE + 30 * MINUTE;

describe('a sampler that begins to keep every failure and few of the others', () => {
  it('opens nothing, though the share of failures is many times as high', () => {
    expect(rootsOf({ everyNth: 20, failing: 0.02 })).toEqual([]);
  });

  it('hides no outage that begins with it', () => {
    expect(rootsOf({ everyNth: 20, failing: 0.7 })).toEqual(['stock']);
  });
});

it('opens an outage in a night with few requests', () => {
  expect(rootsOf({ everyNth: 20, failing: 0.7, isQuiet: true })).toEqual(['stock']);
});

it.each(['a span', 'a trace'])(
  'opens an incident for a new error line of requests that a sampler leaves out, if it names %s',
  (named) => {
    const items = Array.from({ length: 20 * 60 }, (_, index): TelemetryItem[] => {
      const at = START + index * SECOND;
      const { spanId, ...span } = spanItem({ service: 'orders', at: at + 10 });
      const isKept = index % 20 === 0;
      const isOdd = !isKept && index >= 12 * 60 && index % 3 === 0;
      const { traceId } = span;
      const about = {
        kind: 'log',
        service: 'orders',
        at,
        traceId,
        spanId: named === 'a span' ? spanId : null,
      } as const;
      const line: LogItem = isOdd
        ? { ...about, severity: 'error', text: 'cannot reach the stock' }
        : { ...about, severity: 'info', text: 'order saved' };
      return isKept ? [line, { ...span, spanId }] : [line];
    });

    expect(incidentsIn(feedEngine(createEngineState(), items.flat())).map(({ root }) => root)).toEqual(['orders']);
  },
);

interface World {
  /** Of the good requests, one in so many is kept. */
  readonly everyNth: number;
  /** Share of requests that fail. */
  readonly failing: number;
  /** The same is left out of the failures. */
  readonly isQuiet?: boolean;
}

/** `web` calls `stock`, which fails 2 % of all requests. After `CHANGE` a part of them is left out, and maybe more fail. */
function rootsOf({ everyNth, failing, isQuiet = false }: World): string[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 150, index += 1) {
    const hasChanged = at >= CHANGE;
    const isFailed = (index * 0.618_034) % 1 < (hasChanged ? failing : 0.02);
    if (hasChanged && (isQuiet || !isFailed) && index % everyNth !== 0) {
      continue;
    }
    const add = traceBuilder(spans, at, spans.length);
    const page = add(null, { service: 'web', durationMs: 20 + (index % 7), isFailed });
    const call = { service: 'web', role: 'client', operation: 'GET', peer: 'stock' } as const;
    const sent = add(page, { ...call, durationMs: 12 + (index % 5), isFailed });
    add(sent, { service: 'stock', operation: 'GET /stock', durationMs: 10 + (index % 5), isFailed });
  }
  const inOrder = spans.toSorted((a, b) => a.at - b.at);
  return incidentsIn(feedEngine(createEngineState(), inOrder, END + MINUTE)).map(({ root }) => root);
}
