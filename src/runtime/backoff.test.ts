import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

const RETRY = { firstMs: 1_000, longestMs: 30_000 };

it('doubles with each failure in a row, up to the longest delay', () => {
  expect([1, 2, 3, 5, 6, 5_000].map((failures) => backoffMs(RETRY, failures))).toEqual([
    1_000, 2_000, 4_000, 16_000, 30_000, 30_000,
  ]);
});

it('is never shorter than the first delay', () => {
  expect(backoffMs(RETRY, 0)).toBe(1_000);
});

it('is half jitter if there is any', () => {
  expect([0, 0.5, 0.999].map((random) => backoffMs(RETRY, 1, random))).toEqual([500, 750, 999.5]);
});
