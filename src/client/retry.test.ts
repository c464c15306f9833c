import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from './retry.ts';

describe('parseRetryAfter', () => {
  const now = new Date('2026-11-21T10:00:00Z');

  it.each([
    ['120', 120],
    ['0', 0],
    ['1.5', 1.5],
    ['Sat, 21 Nov 2026 10:02:00 GMT', 120],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['soon', null],
    ['', null],
    [undefined, null],
  ])('reads %j as %j seconds', (value, seconds) => {
    expect(parseRetryAfter(value, now)).toBe(seconds);
  });
});
