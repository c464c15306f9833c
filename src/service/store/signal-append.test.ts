import { expect, it } from 'vitest';
import type { ObservedSignal } from '../core/signal.ts';
import { foldSignals } from './signal-append.ts';

const now = new Date('2026-01-31T08:00:00.000Z');

function signal(fields: Partial<ObservedSignal>): ObservedSignal {
  return {
    type: 'trace',
    service: 'payments',
    summary: 'POST /charge fails',
    severity: 'error',
    observedAt: now,
    fingerprint: 'a',
    occurrences: 1,
    traceId: null,
    spanId: null,
    attributes: {},
    source: {},
    detail: { type: 'trace', durationMs: 1, status: 'error' },
    ...fields,
  };
}

it('folds equal signals: the earliest speaks, occurrences add up', () => {
  const earlier = new Date('2026-01-31T07:00:00.000Z');

  const folded = foldSignals(
    [
      signal({ occurrences: 2 }),
      signal({ observedAt: earlier, summary: 'the first', occurrences: 3 }),
      signal({ fingerprint: 'b' }),
    ],
    now,
  );

  expect(folded.map(({ fingerprint, occurrences }) => [fingerprint, occurrences])).toEqual([
    ['a', 5],
    ['b', 1],
  ]);
  expect(folded[0]).toMatchObject({ summary: 'the first', observedAt: earlier, lastSeenAt: now });
});

it.each([new Date('1969-12-31T23:59:59Z'), new Date('2026-02-01T08:00:01Z'), new Date(Number.NaN)])(
  'takes a time that cannot be (%s) for now',
  (observedAt) => {
    expect(foldSignals([signal({ observedAt })], now)[0]?.observedAt).toEqual(now);
  },
);
