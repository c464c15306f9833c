import { expect, it } from 'vitest';
import { timeOf } from './vendor-values.ts';

const NOW = new Date('2026-01-31T09:00:00Z');
const AT = new Date('2026-01-31T08:00:00Z');

it.each([
  '1769846400',
  1_769_846_400_000,
  1_769_846_400_000_000,
  '1769846400000000000',
  '2026-01-31T08:00:00Z',
  '20260131T080000Z',
  '20260131T100000+0200',
  'Sat, 31 Jan 2026 08:00:00 GMT',
])('reads %s as a time, in seconds, milliseconds, microseconds or nanoseconds, or as text', (value) => {
  expect(timeOf(value, NOW)).toEqual(AT);
});

it.each([0, '0', -5, 4711, '20260131', '', 'soon', '31.01.2026', '0001-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])(
  'takes %s, which is no time that has been, as now',
  (value) => {
    expect(timeOf(value, NOW)).toEqual(NOW);
  },
);
