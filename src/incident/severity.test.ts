import { expect, it } from 'vitest';
import { isWorse, severityRank } from './severity.ts';

it('orders severities from critical to info, and unknown ones last', () => {
  const shuffled = ['info', undefined, 'critical', 'warning', 'error'] as const;

  expect(shuffled.toSorted((one, other) => severityRank(one) - severityRank(other))).toEqual([
    'critical',
    'error',
    'warning',
    'info',
    undefined,
  ]);
});

it('calls a severity worse only if both are known', () => {
  expect(isWorse('critical', 'error')).toBe(true);
  expect(isWorse('error', 'error')).toBe(false);
  expect(isWorse('critical', undefined)).toBe(false);
});
