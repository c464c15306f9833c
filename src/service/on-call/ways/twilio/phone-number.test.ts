import { expect, it } from 'vitest';
import { countryOf, maskNumber, phoneAddress } from './phone-number.ts';

it.each([
  ['+49 (0)30 111-222', '+4930111222'],
  ['+49 30 111222', '+4930111222'],
])('reads %s as a person writes it', (typed, number) => {
  expect(phoneAddress(['DE']).parse(typed)).toEqual({ number });
});

it.each(['030 111222', '+49 1', '+43 1 5880', 'ana@example.com', ''])(
  'refuses %s where only German numbers may be called',
  (typed) => {
    expect(phoneAddress(['DE']).safeParse(typed).success).toBe(false);
  },
);

it('refuses a stored number whose country is not allowed any more', () => {
  expect(phoneAddress(['DE']).parse({ number: '+4930111222' })).toEqual({ number: '+4930111222' });
  expect(phoneAddress(['AT']).safeParse({ number: '+4930111222' }).success).toBe(false);
});

it('tells countries with the same code apart', () => {
  expect(['+12025550123', '+14165550123', '+447400123456'].map(countryOf)).toEqual(['US', 'CA', 'GB']);
});

it('masks all but the country and the last two digits', () => {
  expect(maskNumber({ number: '+4930111222' })).toBe('+49…22');
});
