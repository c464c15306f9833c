import { expect, it } from 'vitest';
import { timeOf } from './vendor-values.ts';

const NOW = new Date('2026-01-31T09:00:00Z');
const AT = new Date('2026-01-31T08:00:00Z');

it.each(['1769846400', 1_769_846_400_000, 1_769_846_400_000_000, '1769846400000000000', '2026-01-31T08:00:00Z'])(
  'reads %s as a time, in seconds, milliseconds, microseconds or nanoseconds',
  (value) => {
    expect(timeOf(value, NOW)).toEqual(AT);
  },
);

it.each([0, '0', -5, '', 'soon', '0001-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])(
  'takes %s, which is no time that has been, as now',
  (value) => {
    expect(timeOf(value, NOW)).toEqual(NOW);
  },
);
