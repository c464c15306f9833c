import { expect, it } from 'vitest';
import type { SpanItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, observe } from './engine.ts';
import { fitState, sizeOf } from './state-size.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const BUDGET = 6 * 2 ** 20;

it('forgets what one sender made up before what another sees all the time', () => {
  const state = createEngineState();
  for (let index = 0; index < 6_000; index += 1) {
    observe(state, span(index, `made up ${index}`), 'flood');
    observe(state, span(index, 'GET /'), 'honest');
    advance(state, START + index * 100);
  }
  advance(state, START + 700_000);
  expect(sizeOf(state)).toBeGreaterThan(BUDGET);

  fitState(state, BUDGET);

  expect(sizeOf(state)).toBeLessThanOrEqual(BUDGET);
  expect(state.judge.times.byOperation.has('honest|GET /|GET /')).toBe(true);
  expect(state.judge.accounts.byKey.has('honest|GET /')).toBe(true);
});

it('is not slowed down by times that lie far apart', () => {
  const state = createEngineState();
  observe(state, { ...span(1, 'web'), at: 1_000 });
  observe(state, { ...span(2, 'web'), at: START });
  const startedAt = performance.now();

  advance(state, START + 60_000);

  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

function span(index: number, name: string): SpanItem {
  const about = { service: name, operation: name, role: 'server', isFailed: false, peer: null } as const;
  const ids = { traceId: `${name} ${index}`, spanId: `${index}`, parentSpanId: null };
  return { kind: 'span', at: START + index * 100, durationMs: 10, ...about, ...ids };
}
