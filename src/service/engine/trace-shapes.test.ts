import { expect, it } from 'vitest';
import { spanItem } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, observe } from './engine.ts';

/** As many as a trace may have, see `MAX_SPANS_OF_TRACE`. */
const SPANS = 2_000;
const START = 1_700_000_000_000;

it.each([
  { shape: 'a chain of internal spans', about: () => ({ role: 'internal' }) },
  { shape: 'a chain of failed calls', about: () => ({ role: 'client', isFailed: true }) },
  { shape: 'internal spans above a failed one', about: (index) => internalAbove(index) },
] satisfies { shape: string; about: (index: number) => Partial<SpanItem> }[])(
  'judges $shape, as long as a trace may be',
  ({ about }) => {
    const state = createEngineState();
    for (let index = 0; index < SPANS; index += 1) {
      const parentSpanId = index === 0 ? null : `s${index - 1}`;
      const span = { at: START + 1_000, durationMs: 1_000, traceId: 'trace', spanId: `s${index}`, parentSpanId };
      observe(state, spanItem({ ...span, ...about(index) }));
    }

    advance(state, START + 60_000);

    expect(state.judge.assembly.judged.has('trace')).toBe(true);
  },
);

it('keeps only the first services of the way that a lost request came', () => {
  const state = createEngineState();
  for (let index = 0; index < 100; index += 1) {
    const parentSpanId = index === 0 ? null : `s${index - 1}`;
    const span = { at: START + 1_000, durationMs: 1_000, traceId: 'trace', spanId: `s${index}`, parentSpanId };
    observe(state, spanItem({ ...span, service: `s${index}`, isFailed: true }));
  }

  advance(state, START + 60_000);

  const { episodes } = state.judge.accounts.byKey.get('|s99') ?? {};
  const [path = ''] = episodes?.get('harmed')?.paths.keys() ?? [];
  expect(path.split('>')).toHaveLength(50);
});

function internalAbove(index: number): Partial<SpanItem> {
  return index < SPANS - 1 ? { role: index === 0 ? 'server' : 'internal', isFailed: index === 0 } : { isFailed: true };
}
