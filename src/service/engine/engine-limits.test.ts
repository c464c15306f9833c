import { describe, expect, it } from 'vitest';
import { spanItem } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { advance, createEngineState, observe } from './engine.ts';

const SECOND = 1_000;
const NOW = Date.parse('2026-01-01T00:00:00Z');

function span(values: Partial<SpanItem>): SpanItem {
  return spanItem({ at: NOW, ...values });
}

describe('times far apart', () => {
  it.each([
    ['1970', 1_000],
    ['a year ago', NOW - 365 * 86_400 * SECOND],
    ['a day ago', NOW - 86_400 * SECOND],
  ])('do not open anything between %s and now', (_, at) => {
    const state = createEngineState();
    observe(state, span({ at }), 'hostile');
    observe(state, span({}), 'hostile');

    const events = [10, 15, 20].flatMap((seconds) => advance(state, NOW + seconds * SECOND));

    expect(events).toEqual([]);
  });

  it('do not date a failure after a silence back into the silence', () => {
    const state = createEngineState();
    observe(state, span({}));
    for (let at = NOW; at <= NOW + 5 * 60 * SECOND; at += 5 * SECOND) {
      advance(state, at);
    }
    const later = NOW + 20 * 60 * SECOND;
    const failures = Array.from({ length: 20 }, () => span({ at: later, isFailed: true }));
    for (const item of failures) {
      observe(state, item);
    }

    const opened = [5, 10, 15, 20, 25, 30]
      .flatMap((seconds) => advance(state, later + seconds * SECOND))
      .filter(({ type }) => type === 'opened');

    expect(opened).toHaveLength(1);
    expect(opened[0]?.at).toBeGreaterThanOrEqual(later);
    expect(opened[0]?.incident.lastAt).toBeGreaterThanOrEqual(later);
  });
});
