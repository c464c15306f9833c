import { addHours } from 'date-fns/addHours';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRetry, readRetryAfter } from './retry-schedule.ts';

const QUEUED = new Date('2026-01-31T08:00:00Z');
const LAST = addHours(QUEUED, 24);

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function secondsUntil(retryAt: Date | null, from: Date): number {
  return ((retryAt?.getTime() ?? Number.NaN) - from.getTime()) / 1_000;
}

describe('planRetry', () => {
  it('waits twice as long each time, up to half an hour, and at least half of that', () => {
    const delays = [1, 2, 3, 9, 10, 50, 2_000].map((attempts) =>
      [0, 0.5].map((random) =>
        secondsUntil(planRetry({ attempts, queuedAt: QUEUED, failedAt: QUEUED, retryAfter: null }, random), QUEUED),
      ),
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

  it('stays within its bounds by whatever chance, and makes a last attempt after 24 hours', () => {
    const moments = fc.date({ min: QUEUED, max: new Date(LAST.getTime() - 1), noInvalidDate: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), moments, chance, (attempts, failedAt, random) => {
        const retryAt = planRetry({ attempts, queuedAt: QUEUED, failedAt, retryAfter: null }, random);

        const fullSeconds = Math.min(1_800, 5 * 2 ** (attempts - 1));
        const leastMs = Math.min(LAST.getTime() - failedAt.getTime(), fullSeconds * 500);
        expect(retryAt).toSatisfy((at: Date) => at <= LAST);
        expect(secondsUntil(retryAt, failedAt)).toBeLessThanOrEqual(fullSeconds);
        expect(secondsUntil(retryAt, failedAt)).toBeGreaterThanOrEqual(leastMs / 1_000);
      }),
    );
  });

  it('comes to an end', () => {
    fc.assert(
      fc.property(chance, (random) => {
        let failedAt = QUEUED;
        let attempts = 1;
        for (let next: Date | null = QUEUED; next !== null; attempts += 1) {
          failedAt = next;
          next = planRetry({ attempts, queuedAt: QUEUED, failedAt, retryAfter: null }, random);
        }

        expect(failedAt).toEqual(LAST);
        expect(attempts).toBeGreaterThan(50);
        expect(attempts).toBeLessThan(120);
      }),
    );
  });

  it('waits as long as the receiver asks, but not beyond the last attempt', () => {
    const failed = { attempts: 1, queuedAt: QUEUED, failedAt: QUEUED };

    expect(planRetry({ ...failed, retryAfter: addHours(QUEUED, 2) }, 0)).toEqual(addHours(QUEUED, 2));
    expect(planRetry({ ...failed, retryAfter: addHours(QUEUED, 30) }, 0)).toEqual(LAST);
    expect(secondsUntil(planRetry({ ...failed, retryAfter: QUEUED }, 0), QUEUED)).toBe(2.5);
  });
});

describe('readRetryAfter', () => {
  it.each([
    ['0', '2026-01-31T08:00:00.000Z'],
    ['120', '2026-01-31T08:02:00.000Z'],
    ['Sat, 31 Jan 2026 09:00:00 GMT', '2026-01-31T09:00:00.000Z'],
    ['999999999', '2026-02-01T08:00:00.000Z'],
    ['Thu, 31 Jan 2099 09:00:00 GMT', '2026-02-01T08:00:00.000Z'],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %s as %s', (value, expected) => {
    expect(readRetryAfter(value, QUEUED)?.toISOString()).toBe(expected);
  });
});
