import { expect, it } from 'vitest';
import { quietForS } from './quiet-hours.ts';

const NIGHT = { from: '22:00', until: '07:00' };
const HOUR = 3_600;

it.each([
  ['2026-11-28T21:30:00Z', 8.5], // 22:30 in Berlin
  ['2026-11-28T05:00:00Z', 1],
  ['2026-11-28T06:00:00Z', 0], // 07:00
  ['2026-11-28T20:59:59Z', 0],
  ['2026-10-24T20:00:00Z', 10], // the clocks go back in this night
  ['2027-03-27T21:00:00Z', 8], // and forward in this one
])('last at %s for %s hours more in Berlin', (at, hours) => {
  expect(quietForS(NIGHT, 'Europe/Berlin', new Date(at))).toBe(hours * HOUR);
});

it('may be hours of a day', () => {
  const lunch = { from: '12:00', until: '13:00' };

  expect(quietForS(lunch, 'UTC', new Date('2026-11-28T12:15:00Z'))).toBe(0.75 * HOUR);
  expect(quietForS(lunch, 'UTC', new Date('2026-11-28T13:00:00Z'))).toBe(0);
  expect(quietForS(null, 'UTC', new Date('2026-11-28T12:15:00Z'))).toBe(0);
});
