import { expect, it } from 'vitest';
import { labelOptions } from './label-options.ts';

const valuesOf = (typed: string, known: readonly string[] = []) => labelOptions(typed, known).map(({ value }) => value);

it('offers known labels, then what was typed', () => {
  expect(valuesOf('', ['team:payments', 'env:prod'])).toEqual(['team:payments', 'env:prod']);
  expect(valuesOf('Team: search', ['team:search-eu'])).toEqual(['team:search-eu', 'team:search', 'team:search*']);
  expect(valuesOf('env:prod*')).toEqual(['env:prod*']);
  expect(valuesOf('team:payments', ['team:Payments'])).toEqual(['team:payments', 'team:payments*']);
});

it('offers each label for a value without one, and nothing for an unknown label', () => {
  expect(valuesOf('pay')).toEqual(['team:pay', 'env:pay', 'cluster:pay', 'namespace:pay', 'region:pay', 'system:pay']);
  expect(valuesOf('squad:pay')).toEqual([]);
});

it('shortens what does not fit into an option of Slack', () => {
  const [value = ''] = valuesOf(`team:${'x'.repeat(99)}`);

  expect(value).toHaveLength(75);
  expect(value.endsWith('x*')).toBe(true);
});
