import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';
import type { Incident } from './grouping/incident.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 12 * MINUTE;
const END = FAULT + 3 * MINUTE;

describe('a service without client spans that works in an internal span', () => {
  it.each([
    { what: 'a callee refuses', world: { afterMs: 1 }, root: 'stock' },
    { what: 'a callee hangs', world: { afterMs: 2_000 }, root: 'stock' },
    { what: 'it fails before it calls the second of three', world: { afterMs: 1, share: 0.5 }, root: 'orders' },
    { what: 'it fails so, and says so', world: { afterMs: 1, share: 0.5, tells: true }, root: 'orders' },
  ])('is told from its callees: $root is the root if $what', ({ world, root }) => {
    expect(rootsOf(ordersOf(world))).toEqual([root]);
  });
});

it('a service that waits for one callee in vain and goes on without it is not blamed, however often', () => {
  const spans: SpanItem[] = [];
  for (let at = START; at < END; at += 400) {
    const waitedMs = at < FAULT ? 8 : 1_000;
    const add = traceBuilder(spans, at, spans.length);
    const web = add(null, { service: 'web', durationMs: waitedMs + 6 });
    const handler = { service: 'web', role: 'internal', operation: 'handle', durationMs: waitedMs + 4 } as const;
    const within = add(web, handler);
    if (at < FAULT) {
      add(within, { service: 'stock', durationMs: waitedMs });
    }
  }

  expect(rootsOf(spans)).toEqual(['stock']);
});

it('a callee that answers nobody any more is named before one whose answers are lost at times', () => {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 350, index += 1) {
    const needsMail = (index * 7) % 10 < 6;
    const isGone = at >= FAULT;
    const waitedMs = needsMail ? (isGone ? 1_000 : 8) : 0;
    const add = traceBuilder(spans, at, spans.length);
    const isHelp = index % 4 === 0;
    const operation = isHelp ? 'GET /help' : 'GET /orders';
    const orders = add(null, { service: 'orders', operation, durationMs: isHelp ? 4 : 12 + waitedMs });
    const answer = { operation: 'GET', durationMs: 6, at: at + 8 } as const;
    if (!isHelp && index % 12 !== 1) {
      add(orders, { service: 'stock', ...answer });
    }
    if (!isHelp && needsMail && !isGone) {
      add(orders, { service: 'mail', ...answer, at: at + 18 });
    }
  }

  expect(rootsOf(spans)).toEqual(['mail']);
});

describe('an internal span that fails when the answer is sent', () => {
  it.each([
    ['call', { service: 'web', role: 'client', operation: 'GET', peer: 'stock' } as const],
    ['callee', { service: 'stock' }],
  ])('tells the failure of the %s before it', (_, called) => {
    const spans: SpanItem[] = [];
    for (let at = START; at < END; at += 400) {
      const isFailed = at >= FAULT;
      const add = traceBuilder(spans, at, spans.length);
      const web = add(null, { service: 'web', durationMs: 20, isFailed });
      add(web, { ...called, durationMs: 10, at: at + 12, isFailed });
      add(web, {
        service: 'web',
        role: 'internal',
        operation: 'GET / http send',
        durationMs: 1,
        at: at + 19,
        isFailed,
      });
    }

    const incidents = incidentsOf(spans);
    expect(incidents.map(({ root }) => root)).toEqual(['stock']);
    const evidence = incidents.flatMap(({ members }) => [...members.values()].map((member) => member.evidence));
    expect(evidence.filter(({ family }) => family === 'tolerated_failures')).toEqual([]);
  });
});

interface World {
  /** When `orders` gives up, after it has called the first. */
  readonly afterMs: number;
  /** Of its requests that are lost. Absent: all that call `stock`. */
  readonly share?: number;
  /** Whether the internal span fails too. */
  readonly tells?: boolean;
}

/** `web` calls `orders`, whose handler calls `prices`, and for six of ten requests then `stock` and `mail`. */
function ordersOf({ afterMs, share, tells = false }: World): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 350 + (index % 5) * 20, index += 1) {
    const needsStock = (index * 7) % 10 < 6;
    const isFailed = at >= FAULT && (share === undefined ? needsStock : (index * 0.618) % 1 < share);
    const ms = isFailed ? 8 + afterMs : needsStock ? 24 : 9;
    const operation = 'GET /orders';
    const add = traceBuilder(spans, at, spans.length);
    const web = add(null, { service: 'web', operation, durationMs: ms + 6, isFailed });
    const sent = { service: 'web', role: 'client', operation: 'GET', peer: 'orders', durationMs: ms + 4 } as const;
    const orders = add(add(web, { ...sent, isFailed }), { service: 'orders', operation, durationMs: ms + 2, isFailed });
    const about = { service: 'orders', role: 'internal', operation: `handle ${operation}`, durationMs: ms } as const;
    const handler = add(orders, { ...about, isFailed: isFailed && tells });
    const answered = isFailed || !needsStock ? ['prices'] : ['prices', 'stock', 'mail'];
    for (const [place, service] of answered.entries()) {
      add(handler, { service, operation: 'GET', durationMs: 6, at: at + 7 * (place + 1) });
    }
  }
  return spans;
}

function rootsOf(spans: readonly SpanItem[]): string[] {
  return incidentsOf(spans).map(({ root }) => root);
}

function incidentsOf(spans: readonly SpanItem[]): Incident[] {
  const events = feedEngine(
    createEngineState(),
    spans.toSorted((a, b) => a.at - b.at),
  );
  return incidentsIn(events).filter(({ mergedInto }) => mergedInto === null);
}
