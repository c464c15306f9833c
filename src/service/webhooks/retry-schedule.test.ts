import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hoursToMilliseconds } from '../../runtime/dates.ts';
import { planPause, planRetry, readRetryAfter } from './retry-schedule.ts';

const LAST_MS = hoursToMilliseconds(24);

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function inSeconds(ms: number | null): number {
  return (ms ?? Number.NaN) / 1_000;
}

describe('planRetry', () => {
  it('doubles the delay with each attempt, up to half an hour, and adds jitter of up to half of it', () => {
    const delays = [1, 2, 3, 9, 10, 50, 2_000].map((attempts) =>
      [0, 0.5].map((random) => inSeconds(planRetry({ attempts, ageMs: 0, retryAfterMs: null }, random))),
    );

    expect(delays).toEqual([
      [2.5, 3.75],
      [5, 7.5],
      [10, 15],
      [640, 960],
      [900, 1350],
      [900, 1350],
      [900, 1350],
    ]);
  });

  it('stays within its bounds for any jitter, and makes a last attempt after 24 hours', () => {
    const ages = fc.integer({ min: 0, max: LAST_MS - 1 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), ages, chance, (attempts, ageMs, random) => {
        const retryInMs = planRetry({ attempts, ageMs, retryAfterMs: null }, random);

        const fullSeconds = Math.min(1_800, 5 * 2 ** (attempts - 1));
        const leastMs = Math.min(LAST_MS - ageMs, fullSeconds * 500);
        expect(retryInMs).toSatisfy((ms: number) => ageMs + ms <= LAST_MS);
        expect(inSeconds(retryInMs)).toBeLessThanOrEqual(fullSeconds);
        expect(inSeconds(retryInMs)).toBeGreaterThanOrEqual(leastMs / 1_000);
      }),
    );
  });

  it('ends', () => {
    fc.assert(
      fc.property(chance, (random) => {
        let ageMs = 0;
        let attempts = 1;
        for (let next: number | null = 0; next !== null; attempts += 1) {
          ageMs += next;
          next = planRetry({ attempts, ageMs, retryAfterMs: null }, random);
        }

        expect(ageMs).toBe(LAST_MS);
        expect(attempts).toBeGreaterThan(50);
        expect(attempts).toBeLessThan(120);
      }),
    );
  });

  it('waits as long as the receiver asks, but not beyond the last attempt', () => {
    const failed = { attempts: 1, ageMs: 0 };

    expect(planRetry({ ...failed, retryAfterMs: hoursToMilliseconds(2) }, 0)).toBe(hoursToMilliseconds(2));
    expect(planRetry({ ...failed, retryAfterMs: hoursToMilliseconds(30) }, 0)).toBe(LAST_MS);
    expect(inSeconds(planRetry({ ...failed, retryAfterMs: 0 }, 0))).toBe(2.5);
  });
});

describe('planPause', () => {
  it('grows with each failure in a row, up to a minute', () => {
    expect([0, 1, 2, 6, 7, 2_000].map((failures) => planPause(failures, null, 0))).toEqual([
      0, 500, 1_000, 16_000, 30_000, 30_000,
    ]);
  });

  it('lasts as long as the receiver asks', () => {
    expect(planPause(1, 3_600_000, 0)).toBe(3_600_000);
    expect(planPause(3, 0, 0)).toBe(2_000);
  });
});

describe('readRetryAfter', () => {
  const NOW = new Date('2026-01-31T08:00:00Z');

  it.each([
    ['0', 0],
    ['120', 120],
    ['Sat, 31 Jan 2026 09:00:00 GMT', 3_600],
    ['Sat, 31 Jan 2026 07:00:00 GMT', 0],
    ['999999999', 86_400],
    ['Thu, 31 Jan 2099 09:00:00 GMT', 86_400],
    ['soon', null],
    ['', null],
    [undefined, null],
  ])('reads %s as %s seconds', (value, seconds) => {
    expect(readRetryAfter(value, NOW)).toBe(seconds === null ? null : seconds * 1_000);
  });
});
