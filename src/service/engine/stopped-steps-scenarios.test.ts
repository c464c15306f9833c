import { expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const EVERY_MS = 8_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const STOP = START + 500 * EVERY_MS;

it.each([
  {
    what: 'five runs of a minute lack it, and no other',
    lacks: (run: number) => [4, 6, 7, 9, 13].includes(run),
    roots: [],
  },
  { what: 'no run has it any more', lacks: () => true, roots: ['orders'] },
])('a step that every run had opens $roots if $what', ({ lacks, roots }) => {
  const spans: SpanItem[] = [];
  for (let at = START; at < STOP + 40 * EVERY_MS; at += EVERY_MS) {
    const add = traceBuilder(spans, at);
    const orders = add(null, { service: 'orders', operation: 'POST /orders', durationMs: 20 });
    if (at < STOP || !lacks((at - STOP) / EVERY_MS)) {
      add(orders, { service: 'orders', role: 'internal', operation: 'charge', durationMs: 10 });
    }
  }

  expect(incidentsIn(feedEngine(createEngineState(), spans)).map(({ root }) => root)).toEqual(roots);
});
