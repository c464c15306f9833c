import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { seededRandom } from '../../../test/support/seeded-random.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 12 * MINUTE;
const END = FAULT + 4 * MINUTE;
/** Share of the spans that never come. */
const LOST = 0.03;

describe.each([1, 2, 3])('with a few per cent of lost spans (%i), one incident', (seed) => {
  it.each([
    { what: 'a slow database', trouble: { lateMs: 400 }, root: 'postgresql:db-1' },
    { what: 'a database that fails', trouble: { isFailed: true }, root: 'postgresql:db-1' },
  ])('is all that opens for $what', ({ trouble, root }) => {
    expect(rootsOf(seed, () => trouble)).toEqual([root]);
  });
});

it('keeps a service apart that is slow by itself where the database that fails most requests answers well', () => {
  const trouble = (chance: number): Trouble => (chance < 0.85 ? { isFailed: true } : { ownMs: 400 });

  expect(rootsOf(1, trouble).toSorted()).toEqual(['orders', 'postgresql:db-1']);
});

interface Trouble {
  readonly lateMs?: number;
  readonly isFailed?: boolean;
  /** What `orders` takes longer by itself. */
  readonly ownMs?: number;
}

/** `web` calls `orders`, which calls `stock`, which asks a database. */
function rootsOf(seed: number, troubleOf: (chance: number) => Trouble): string[] {
  const random = seededRandom(seed);
  const spans: SpanItem[] = [];
  for (let at = START; at < END; at += 250 + 100 * random()) {
    const { lateMs = 0, isFailed = false, ownMs = 0 } = at >= FAULT ? troubleOf(random()) : {};
    const ms = 6 + 4 * random() + lateMs;
    const add = traceBuilder(spans, at, spans.length);
    const call = { role: 'client', operation: 'GET', isFailed } as const;
    const web = add(null, { service: 'web', durationMs: ms + ownMs + 30, isFailed });
    const toOrders = add(web, { ...call, service: 'web', peer: 'orders', durationMs: ms + ownMs + 24 });
    const orders = add(toOrders, { service: 'orders', durationMs: ms + ownMs + 20, isFailed });
    const toStock = add(orders, { ...call, service: 'orders', peer: 'stock', durationMs: ms + 10 });
    const stock = add(toStock, { service: 'stock', durationMs: ms + 6, isFailed });
    add(stock, { ...call, service: 'stock', operation: 'SELECT', peer: 'postgresql:db-1', durationMs: ms });
  }
  const kept = spans.filter(() => random() >= LOST).toSorted((a, b) => a.at - b.at);
  return incidentsIn(feedEngine(createEngineState(), kept))
    .filter(({ mergedInto }) => mergedInto === null)
    .map(({ root }) => root);
}
