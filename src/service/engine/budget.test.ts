import { expect, it } from 'vitest';
import { spanItem } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { fitBudget, sizeOf } from './budget.ts';
import { advance, createEngineState, observe } from './engine.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const MEGABYTE = 1_048_576;

function span(service: string, operation: string, traceId: string): SpanItem {
  return spanItem({ service, at: NOW, durationMs: 5, operation, traceId, spanId: `${service} ${operation}` });
}

it('evicts the names that one sender has made up, and none of the others', () => {
  const state = createEngineState();
  for (let index = 0; index < 100; index += 1) {
    observe(state, span('honest', `GET /${index}`, `honest ${index}`), 'honest key');
  }
  for (let index = 0; index < 10_000; index += 1) {
    observe(state, span('hostile', `made up ${index}`.padEnd(100, 'x'), `hostile ${index}`), 'hostile key');
  }
  advance(state, NOW + 15_000);
  const before = sizeOf(state);

  const forgotten = fitBudget(state, 5 * MEGABYTE);

  expect(before).toBeGreaterThan(10 * MEGABYTE);
  expect(sizeOf(state)).toBeLessThanOrEqual(5 * MEGABYTE);
  expect(forgotten).toBeGreaterThan(5_000);
  const services = [...state.judge.watches.values()].map(({ service }) => service);
  expect(services.filter((service) => service === 'honest')).toHaveLength(100);
});

it('keeps entries that are seen often', () => {
  const state = createEngineState();
  for (let index = 0; index < 5_000; index += 1) {
    observe(state, span('shop', `made up ${index}`, `${index}`), 'key');
    observe(state, span('shop', 'GET /', `often ${index}`), 'key');
  }
  advance(state, NOW + 15_000);

  fitBudget(state, 7 * MEGABYTE);

  expect([...state.judge.watches.values()].map(({ subject }) => subject)).toContain('GET /');
});

it('evicts nothing while the state fits the budget', () => {
  const state = createEngineState();
  observe(state, span('shop', 'GET /', '1'), 'key');
  advance(state, NOW + 15_000);

  expect(fitBudget(state, 257 * MEGABYTE)).toBe(0);
  expect(state.judge.watches.size).toBe(1);
});

it('counts usual times and accounts as part of the state', () => {
  const state = createEngineState();
  for (let index = 0; index < 6_000; index += 1) {
    observe(state, { ...span(`made up ${index}`, 'GET /', `made up ${index}`), at: NOW + index * 100 }, 'flood');
    observe(state, { ...span('shop', 'GET /', `shop ${index}`), at: NOW + index * 100 }, 'honest');
    advance(state, NOW + index * 100);
  }
  advance(state, NOW + 700_000);
  expect(sizeOf(state)).toBeGreaterThan(7 * MEGABYTE);

  fitBudget(state, 7 * MEGABYTE);

  expect(sizeOf(state)).toBeLessThanOrEqual(7 * MEGABYTE);
  expect(state.judge.times.byOperation.has('honest|shop|GET /|server')).toBe(true);
  expect(state.judge.accounts.byKey.has('honest|shop')).toBe(true);
});
