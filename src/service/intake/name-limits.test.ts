import { expect, it } from 'vitest';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createNameLimits, OTHER_OPERATION } from './name-limits.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

function span(operation: string, service = 'checkout'): SpanItem {
  return {
    kind: 'span',
    service,
    at: NOW.getTime(),
    durationMs: 1,
    operation,
    traceId: 'trace',
    spanId: operation,
    parentSpanId: null,
    role: 'server',
    isFailed: false,
    peer: null,
  };
}

const madeUp = (count: number) => Array.from({ length: count }, (_, index) => span(`made up ${index}`));

it('keeps all names of a large system', () => {
  const names = madeUp(1_900);

  expect(createNameLimits().limit('key', names, NOW)).toEqual({ items: names, folded: 0 });
});

it('keeps new names after the clock was set back by an hour', () => {
  const limits = createNameLimits();
  limits.limit('key', [span('GET /')], NOW);
  const others = [span('GET /', 'search')];

  expect(limits.limit('key', others, later(-60))).toEqual({ items: others, folded: 0 });
});

it('folds operations beyond the limit of a sender into one, and keeps known names', () => {
  const limits = createNameLimits();
  limits.limit('key', [span('GET /')], NOW);

  const { items, folded } = limits.limit('key', [...madeUp(10_000), span('GET /')], NOW);

  const names = new Set(items.map((item) => (item.kind === 'span' ? item.operation : '')));
  expect(names.size).toBe(2_000);
  expect(names).toContain('GET /');
  expect(names).toContain(OTHER_OPERATION);
  expect(folded).toBe(10_000 - 1_998);
});

it('does not count the names of one sender against another', () => {
  const limits = createNameLimits();
  limits.limit('hostile', madeUp(10_000), NOW);

  expect(limits.limit('honest', madeUp(1_000), NOW).folded).toBe(0);
});

it('accepts new names again after a while', () => {
  const limits = createNameLimits();
  limits.limit('key', madeUp(10_000), NOW);

  const fresh = Array.from({ length: 600 }, (_, index) => span(`new ${index}`));

  expect(limits.limit('key', fresh, later(1)).folded).toBe(100);
});

it('leaves out spans of services beyond the limit', () => {
  const limits = createNameLimits();
  limits.limit('key', madeUp(10_000), NOW);

  expect(limits.limit('key', [span('GET /', 'made up service')], NOW)).toEqual({ items: [], folded: 1 });
});
