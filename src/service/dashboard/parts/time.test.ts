import { expect, it } from 'vitest';
import { ago } from './time.tsx';

const NOW = new Date('2026-11-22T10:00:00Z');

it.each([
  [-90_000, '1 minute ago'],
  [-400, '0 seconds ago'],
  [0, '0 seconds ago'],
  [400, '0 seconds ago'],
  [3_000, '0 seconds ago'],
  [5_000, 'in 5 seconds'],
  [3_600_000, 'in 1 hour'],
])('tells a moment %i ms from now as "%s"', (distanceMs, words) => {
  expect(ago(new Date(NOW.getTime() + distanceMs), NOW)).toBe(words);
});
