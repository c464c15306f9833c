import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 12 * MINUTE;
const END = FAULT + 4 * MINUTE;
const CALL = { role: 'client', operation: 'GET' } as const;

interface Run {
  readonly index: number;
  readonly isDuring: boolean;
  readonly add: ReturnType<typeof traceBuilder>;
}

/** The roots of all incidents that open while a request comes every third of a second, merged ones included. */
function rootsOf(addRequest: (run: Run) => void, until = END): string[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < until; at += 330 + (index % 5) * 10, index += 1) {
    addRequest({ index, isDuring: at >= FAULT && at < END, add: traceBuilder(spans, at, spans.length) });
  }
  const events = feedEngine(
    createEngineState(),
    spans.toSorted((a, b) => a.at - b.at),
  );
  return incidentsIn(events).map(({ root }) => root);
}

describe('callers without client spans', () => {
  it('are told from a callee that refuses them, though the step that sends their answer fails too', () => {
    const roots = rootsOf(({ index, isDuring, add }) => {
      const needsStock = (index * 7) % 10 < 6;
      const isFailed = isDuring && needsStock;
      const web = add(null, { service: 'web', durationMs: isFailed ? 6 : 20, isFailed });
      if (needsStock && !isFailed) {
        add(web, { service: 'stock', durationMs: 9 });
      }
      add(web, { service: 'web', role: 'internal', operation: 'GET / http send', durationMs: 2, isFailed });
    });

    expect(roots).toEqual(['stock']);
  });

  it('are told from a callee that answers slowly, though that step fails when they give up', () => {
    const roots = rootsOf(({ index, isDuring, add }) => {
      const isFailed = isDuring && index % 2 === 0;
      const ms = isFailed ? 900 : 9;
      const web = add(null, { service: 'web', durationMs: ms + 6, isFailed });
      add(web, { service: 'stock', durationMs: ms });
      const send = { service: 'web', role: 'internal', operation: 'GET / http send' } as const;
      add(web, { ...send, durationMs: 2, at: web.at - 1, isFailed });
    });

    expect(roots).toEqual(['stock']);
  });

  it('lose requests on the way to a place as well as one that has client spans, which is not at fault then', () => {
    const roots = rootsOf(({ index, isDuring, add }) => {
      const lateMs = isDuring && (index * 0.618) % 1 < 0.3 ? 800 : 0;
      if (index % 2 === 0) {
        const web = add(null, { service: 'web', durationMs: 20 + lateMs });
        add(add(web, { ...CALL, service: 'web', peer: 'stock', durationMs: 12 + lateMs }), {
          service: 'stock',
          durationMs: 10,
        });
      } else {
        add(add(null, { service: 'orders', durationMs: 20 + lateMs }), { service: 'stock', durationMs: 10 });
      }
    });

    expect(roots).toEqual(['stock']);
  });

  it('are told by late answers from what they did not come to call', () => {
    const roots = rootsOf(({ isDuring, add }) => {
      const waitedMs = isDuring ? 2_000 : 10;
      const lookedMs = isDuring ? 14_000 : 8;
      const web = add(null, { service: 'web', durationMs: waitedMs + 30, isFailed: isDuring });
      add(web, { service: 'cart', operation: 'GET /price', durationMs: 8 });
      const cart = add(web, { service: 'cart', operation: 'GET /stock', durationMs: lookedMs, isFailed: isDuring });
      add(cart, { ...CALL, service: 'cart', peer: 'stock', durationMs: lookedMs - 1, isFailed: isDuring });
      if (!isDuring) {
        add(web, { service: 'mail', durationMs: 8 });
      }
    });

    expect(roots).toEqual(['stock']);
  });
});

it('a callee that works until its caller gives up lost no answer on the way', () => {
  const roots = rootsOf(({ index, isDuring, add }) => {
    const usualMs = 180 + (index % 9) * 15;
    const ms = Math.min(isDuring ? usualMs + 170 : usualMs, 420);
    const isFailed = ms > 400;
    const waitedMs = Math.min(ms, 400);
    const ended = isFailed ? ({ isRejected: true } as const) : {};
    const web = add(null, { service: 'web', durationMs: waitedMs + 25, isFailed });
    const call = add(web, { ...CALL, service: 'web', peer: 'video', durationMs: waitedMs + 20, isFailed });
    const video = add(call, { service: 'video', durationMs: waitedMs + 18, ...ended });
    add(video, { ...CALL, service: 'video', peer: 'api.vendor.com', durationMs: waitedMs + 8, ...ended });
  });

  expect(roots).toEqual(['api.vendor.com']);
});

it('a failing service is told by itself, though spans of its calls are lost meanwhile', () => {
  const roots = rootsOf(({ index, isDuring: isFailed, add }) => {
    const web = add(null, { service: 'web', operation: 'GET /', durationMs: 30, isFailed });
    const within = add(web, { service: 'web', role: 'internal', operation: 'handle', durationMs: 26, isFailed });
    const call = { ...CALL, service: 'web', peer: 'stock', durationMs: 12 } as const;
    const isLost = isFailed && index % 8 === 0;
    const sent = isLost ? { ...within, spanId: `lost-${index}` } : add(within, call);
    add(sent, { service: 'stock', durationMs: 10 });
  });

  expect(roots).toEqual(['web']);
});

it('a service that fails in each of its operations is not told as the only callee of one of them', () => {
  const [root] = rootsOf(({ index, isDuring, add }) => {
    const isFailed = isDuring && (index * 0.618) % 1 < 0.5;
    const operation = index % 10 === 0 ? 'GET /one' : 'GET /both';
    const web = add(null, { service: 'web', operation, durationMs: isFailed ? 6 : 30, isFailed });
    const handler = { service: 'web', role: 'internal', operation: `handle ${operation}`, isFailed } as const;
    const within = add(web, { ...handler, durationMs: isFailed ? 4 : 26 });
    if (!isFailed) {
      add(within, { service: 'stock', durationMs: 10 });
    }
    if (!isFailed && operation === 'GET /both') {
      add(within, { service: 'prices', durationMs: 8 });
    }
  });

  expect(root).toBe('web');
});
