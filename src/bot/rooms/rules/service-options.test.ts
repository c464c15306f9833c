import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LIMITS } from '../../blocks/limits.ts';
import { MOST_SERVICE_OPTIONS, serviceOptions } from './service-options.ts';

const valuesFor = (typed: string, known: readonly string[] = []) =>
  serviceOptions(typed, known).map(({ value }) => value);

it('offers known services first, then the typed name and all names that begin with it', () => {
  expect(valuesFor('pay', ['payments', 'prepay'])).toEqual(['payments', 'prepay', 'pay', 'pay*']);
  expect(valuesFor('payments', ['payments'])).toEqual(['payments', 'payments*']);
  expect(valuesFor('', ['payments'])).toEqual(['payments']);
});

it('takes several typed names at once', () => {
  expect(valuesFor('web, cart-*')).toEqual(['web, cart-*']);
});

it('leaves out names with a comma, because a comma separates names', () => {
  expect(valuesFor('', ['a,b', 'c'])).toEqual(['c']);
});

it('keeps Slack’s limits, whatever is typed and known', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 300 }),
      fc.array(fc.string({ maxLength: 300 }), { maxLength: 200 }),
      (typed, known) => {
        const options = serviceOptions(typed, known);

        expect(options.length).toBeLessThanOrEqual(MOST_SERVICE_OPTIONS + 2);
        for (const { text, value = '', description } of options) {
          expect(value.trim()).not.toBe('');
          expect(Math.max(text.text.length, value.length, description?.text.length ?? 0)).toBeLessThanOrEqual(
            LIMITS.optionText,
          );
        }
        expect(new Set(options.map(({ value }) => value)).size).toBe(options.length);
      },
    ),
  );
});
