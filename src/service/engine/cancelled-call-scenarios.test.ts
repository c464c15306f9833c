import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 15 * MINUTE;
const END = FAULT + 5 * MINUTE;

describe('calls that end as cancelled', () => {
  it.each([
    {
      what: 'their caller gave up after a second and failed',
      world: { isPageFailed: true, waitedMs: 1_000 },
      roots: ['stock'],
    },
    {
      what: 'a caller of their caller gave up, which cancelled both',
      world: { isPageFailed: true, isViaCart: true, waitedMs: 1_000 },
      roots: ['stock'],
    },
    { what: 'people left soon', world: { waitedMs: 5 }, roots: [] },
    { what: 'people left after they had waited in vain', world: { waitedMs: 8_000 }, roots: ['stock'] },
  ])('lead to $roots if $what', ({ world, roots }) => {
    const events = feedEngine(createEngineState(), spansOf(world));

    const incidents = incidentsIn(events).filter(({ mergedInto }) => mergedInto === null);
    expect(incidents.map(({ root }) => root)).toEqual(roots);
  });
});

interface World {
  /** How long a call that is cancelled had been waited for. */
  readonly waitedMs: number;
  /** Otherwise the request for the page was cancelled too. */
  readonly isPageFailed?: boolean;
  /** `cart` calls `stock` for `web`. */
  readonly isViaCart?: boolean;
}

/** `web` calls `prices`, then `stock`. From the fault on, two thirds of its calls to `stock` are cancelled without an answer. */
function spansOf({ isPageFailed = false, isViaCart = false, ...world }: World): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 350 + (index % 5) * 20, index += 1) {
    const isCancelled = at >= FAULT && index % 3 > 0;
    const waitedMs = isCancelled ? world.waitedMs : 10;
    const cancelled = isCancelled ? ({ isRejected: true } as const) : {};
    const add = traceBuilder(spans, at, spans.length);
    const ended = isPageFailed ? { isFailed: isCancelled } : cancelled;
    const page = add(null, { service: 'web', durationMs: waitedMs + 8, ...ended });
    const call = { role: 'client', operation: 'GET', ...cancelled } as const;
    const asked = add(page, { service: 'web', role: 'client', operation: 'GET', peer: 'prices', durationMs: 5 });
    add(asked, { service: 'prices', durationMs: 3 });
    const toCart = () => {
      const sent = add(page, { ...call, service: 'web', peer: 'cart', durationMs: waitedMs + 2 });
      return add(sent, { service: 'cart', durationMs: waitedMs + 1, ...cancelled });
    };
    const caller = isViaCart ? toCart() : page;
    const sent = add(caller, { ...call, service: caller.service, peer: 'stock', durationMs: waitedMs });
    if (!isCancelled) {
      add(sent, { service: 'stock', durationMs: 8 });
    }
  }
  return spans.toSorted((a, b) => a.at - b.at);
}
