import fc from 'fast-check';
import { expect, it } from 'vitest';
import { signal } from '../../../test/support/signal-builders.ts';
import { addSightings, foldSignals } from './fold.ts';

it('folds equal signals: the earliest one is kept, and occurrences add up', () => {
  const first = signal({ fingerprint: 'a', summary: 'the first', occurrences: 3 });
  const later = signal({ fingerprint: 'a', atSeconds: 60, occurrences: 2 });
  const other = signal({ fingerprint: 'b' });

  const folded = foldSignals([later, first, other]);

  expect(folded.map(({ fingerprint, occurrences }) => [fingerprint, occurrences])).toEqual([
    ['a', 5],
    ['b', 1],
  ]);
  expect(folded[0]).toMatchObject({
    summary: 'the first',
    observedAt: first.observedAt,
    lastSeenAt: later.lastSeenAt,
    endedAt: null,
  });
});

it('keeps a reported end only if nothing was seen after it', () => {
  const ended = { occurrences: 1, lastSeenAt: new Date(1_000), endedAt: new Date(5_000) };
  const seenBefore = { occurrences: 1, lastSeenAt: new Date(4_000), endedAt: null };
  const seenAfter = { occurrences: 1, lastSeenAt: new Date(6_000), endedAt: null };

  expect(addSightings(ended, seenBefore).endedAt).toEqual(ended.endedAt);
  expect(addSightings(ended, seenAfter).endedAt).toBeNull();
});

it('gives the same sum in any order', () => {
  const moment = fc.integer({ min: 1, max: 9 }).map((seconds) => new Date(seconds * 1_000));
  const sightings = fc
    .record({ occurrences: fc.integer({ min: 1, max: 5 }), lastSeenAt: moment, ends: fc.boolean() })
    .map(({ ends, ...seen }) => ({ ...seen, endedAt: ends ? seen.lastSeenAt : null }));

  fc.assert(
    fc.property(sightings, sightings, sightings, (a, b, c) => {
      expect(addSightings(a, b)).toEqual(addSightings(b, a));
      expect(addSightings(addSightings(a, b), c).occurrences).toBe(a.occurrences + b.occurrences + c.occurrences);
      expect(addSightings(addSightings(a, b), c).lastSeenAt).toEqual(addSightings(a, addSightings(b, c)).lastSeenAt);
    }),
  );
});
