import { expect, it } from 'vitest';
import { AT, NANOS } from '../../../../test/support/push-decode.ts';
import { nanosOf } from './push-format.ts';

it.each([
  [AT, NANOS],
  ['1769846400', NANOS],
  [1_769_846_400, NANOS],
  [1_769_846_400_000, NANOS],
  [1_769_846_400_000_000, NANOS],
  ['yesterday', '0'],
  [-1, '0'],
  [null, '0'],
])('reads the time %s', (value, nanos) => {
  expect(String(nanosOf(value))).toBe(nanos);
});
