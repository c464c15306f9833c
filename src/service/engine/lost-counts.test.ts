import { expect, it } from 'vitest';
import { spanItem } from '../../../test/support/span-item.ts';
import { advance, createEngineState, observe } from './engine.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

/** Ten requests a second, which all fail for a while. @returns what the incidents say was lost */
function loseFor(from: number, seconds: number) {
  const state = createEngineState();
  let lost = 0;
  for (let at = 0; at < (from + seconds + 40) * 1_000; at += 100) {
    const isFailed = at >= from * 1_000 && at < (from + seconds) * 1_000;
    lost += isFailed ? 1 : 0;
    observe(state, spanItem({ at: NOW + at, durationMs: 20, traceId: `${at}`, spanId: `${at}`, isFailed }), 'key');
    if (at % 1_000 === 0) {
      advance(state, NOW + at);
    }
  }
  return { lost, told: [...state.correlation.live.byNumber.values()].map((incident) => incident.lost?.requests) };
}

it.each([
  { what: 'at the end of a slot', from: 60, seconds: 35 },
  { what: 'within a slot', from: 60, seconds: 12 },
  { what: 'soon after a slot has begun', from: 63, seconds: 33 },
  { what: 'just before a slot ends', from: 61.3, seconds: 38.6 },
])('tells all requests that were lost by a fault that ends $what', ({ from, seconds }) => {
  const { lost, told } = loseFor(from, seconds);

  expect(told).toEqual([lost]);
});
