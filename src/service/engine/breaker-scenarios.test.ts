import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';
import type { Incident } from './grouping/incident.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 15 * MINUTE;
const END = FAULT + 4 * MINUTE;
const EVERY_MS = 400;

/** How a request ends at each service that it goes through, the callee last. */
interface World {
  /** Time that `stock` takes. */
  readonly stockMs: (at: number, index: number) => number;
  /** `cart` does not call `stock`, and fails at once. */
  readonly isOpen: (at: number, index: number) => boolean;
  /** `shop` does not call `cart`, and fails at once. */
  readonly isOpenAbove?: (at: number, index: number) => boolean;
  /** Whether an internal span tells the failure. */
  readonly tellsBreaker?: boolean;
  readonly stockReports?: boolean;
  /** Whether `stock` gets over a failure of `prices`. */
  readonly doPricesFail?: (at: number) => boolean;
  /** Whether `cart` needs `stock` for a request. */
  readonly isNeeded?: (index: number) => boolean;
}

const TIMEOUT_MS = 1_000;
const isDuring = (at: number) => at >= FAULT;
/** Eight requests of forty try again whether the callee works. */
const isOpenMostly = (at: number, index: number) => at >= FAULT + 40 * SECOND && Math.floor(index / 8) % 5 !== 0;

describe('a circuit breaker', () => {
  it.each([
    ['and says so in a span', { tellsBreaker: true }],
    ['and says nothing', {}],
    ['for a vendor that does not report', { stockReports: false }],
    ['for a callee of one request in eight', { isNeeded: (index: number) => index % 8 < 1 }],
  ])('that opens because its callee is slow makes no second incident, %s', (_, more) => {
    const stockMs = (at: number) => (isDuring(at) ? 3_000 : 10);

    expect(rootsOf({ stockMs, isOpen: isOpenMostly, ...more })).toEqual(['stock']);
  });

  it('that opens for a service whose own breaker is open makes no second incident', () => {
    const stockMs = (at: number) => (isDuring(at) ? 3_000 : 10);
    const isOpenAbove = (at: number, index: number) => at >= FAULT + 60 * SECOND && index % 4 !== 0;

    expect(rootsOf({ stockMs, isOpen: isOpenMostly, isOpenAbove })).toEqual(['stock']);
  });

  it('leaves the way from the callee to the entry whole', () => {
    const stockMs = (at: number) => (isDuring(at) ? 3_000 : 10);

    const paths = incidentsOf({ stockMs, isOpen: isOpenMostly }).flatMap(({ members }) =>
      [...members.values()].flatMap(({ evidence: { lost } }) => (lost === undefined ? [] : [lost.path])),
    );

    const services = paths.map((path) => path.map(({ service }) => service).join(' < '));
    expect(new Set(services)).toEqual(new Set(['stock < cart < shop']));
  });

  it('that opens although its callee works is the fault of its service', () => {
    expect(rootsOf({ stockMs: () => 10, isOpen: isOpenMostly })).toEqual(['cart']);
  });

  it('is not suspected while the callee answers most calls of the service that fails', () => {
    const stockMs = (at: number, index: number) => (isDuring(at) && index % 12 === 0 ? 3_000 : 10);
    const failsBeforeItCalls = (at: number, index: number) => isDuring(at) && index % 2 === 1;

    expect(rootsOf({ stockMs, isOpen: failsBeforeItCalls }).toSorted()).toEqual(['cart', 'stock']);
  });

  it('is not suspected if its service failed before anything else did', () => {
    const stockMs = (at: number, index: number) => (at >= FAULT + 70 * SECOND && index % 3 === 0 ? 3_000 : 10);
    const failsBeforeItCalls = (at: number, index: number) => isDuring(at) && index % 3 !== 0;

    expect(rootsOf({ stockMs, isOpen: failsBeforeItCalls }).toSorted()).toEqual(['cart', 'stock']);
  });

  it('is not suspected because of failures that its callee got over', () => {
    const failsBeforeItCalls = (at: number) => at >= FAULT + 90 * SECOND;

    expect(rootsOf({ stockMs: () => 10, doPricesFail: isDuring, isOpen: failsBeforeItCalls }).toSorted()).toEqual([
      'cart',
      'prices',
    ]);
  });
});

function spansOf({
  stockMs,
  isOpen,
  isOpenAbove = () => false,
  tellsBreaker = false,
  stockReports = true,
  doPricesFail = () => false,
  isNeeded = () => true,
}: World) {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += EVERY_MS, index += 1) {
    const isWanted = isNeeded(index);
    const isCalled = isWanted && !isOpen(at, index);
    const isReached = !isOpenAbove(at, index);
    const tookMs = stockMs(at, index);
    const isFailed = !isReached || (isWanted && (!isCalled || tookMs > TIMEOUT_MS));
    const waitedMs = isReached && isCalled ? Math.min(tookMs + 2, TIMEOUT_MS) : 1;
    const add = traceBuilder(spans, at, spans.length);
    const call = { role: 'client', operation: 'GET', isFailed } as const;
    const shop = add(null, { service: 'shop', operation: 'GET /', durationMs: waitedMs + 12, isFailed });
    if (!isReached) {
      continue;
    }
    const toCart = add(shop, { ...call, service: 'shop', peer: 'cart', durationMs: waitedMs + 8 });
    const cart = add(toCart, { service: 'cart', operation: 'GET /cart', durationMs: waitedMs + 6, isFailed });
    add(cart, { ...call, service: 'cart', peer: 'postgresql:db', durationMs: 2, isFailed: false });
    if (isCalled) {
      const toStock = add(cart, { ...call, service: 'cart', peer: 'stock', durationMs: waitedMs });
      if (stockReports) {
        const stock = add(toStock, { service: 'stock', operation: 'GET /stock', durationMs: tookMs });
        add(stock, { ...call, service: 'stock', peer: 'prices', durationMs: 4, isFailed: doPricesFail(at) });
      }
    } else if (isWanted && tellsBreaker) {
      add(cart, { service: 'cart', role: 'internal', operation: 'breaker stock', durationMs: 0, isFailed });
    }
  }
  return spans.toSorted((a, b) => a.at - b.at);
}

function rootsOf(world: World): string[] {
  return incidentsOf(world).map(({ root }) => root);
}

function incidentsOf(world: World): Incident[] {
  return incidentsIn(feedEngine(createEngineState(), spansOf(world)));
}
