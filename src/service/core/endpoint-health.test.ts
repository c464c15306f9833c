import { expect, it } from 'vitest';
import { hoursToMilliseconds } from '../../runtime/dates.ts';
import { healthAfter, shouldDisable } from './endpoint-health.ts';

const HEALTHY = { failingForMs: null, failures: 0 };
const FAILING = { failingForMs: 5_000, failures: 3 };

it('begins to fail with the first failure, and keeps that time until a success', () => {
  const once = healthAfter(HEALTHY, { delivered: 0, failed: 1, unavailable: 1 });

  expect(once).toEqual({ failingForMs: 0, failures: 1 });
  expect(healthAfter(FAILING, { delivered: 0, failed: 2, unavailable: 1 })).toEqual({
    failingForMs: 5_000,
    failures: 4,
  });
  expect(healthAfter(FAILING, { delivered: 1, failed: 2, unavailable: 2 })).toEqual(HEALTHY);
});

it('counts only failures in a row that found the receiver unavailable', () => {
  expect(healthAfter(FAILING, { delivered: 0, failed: 1, unavailable: 0 })).toEqual({
    failingForMs: 5_000,
    failures: 0,
  });
});

it('does not change without an attempt', () => {
  expect(healthAfter(FAILING, { delivered: 0, failed: 0, unavailable: 0 })).toEqual(FAILING);
});

it.each([
  [null, false],
  [hoursToMilliseconds(24) - 1, false],
  [hoursToMilliseconds(24), true],
])('after %s ms of failures, disabling is %s', (failingForMs, expected) => {
  expect(shouldDisable({ failingForMs, failures: 9 })).toBe(expected);
});
