import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../../contract/comparison.ts';
import { differenceWords, noDifferenceWords, sampleWords } from './differences-of.ts';

const COMPARISON: Comparison = {
  service: 'payments',
  lost: 100,
  good: 900,
  since: '2026-01-01T00:00:00.000Z',
  kept: 1_000,
  attributes: ['version', 'instance', 'entry'],
  differences: [],
};
const POD = { attribute: 'instance', value: 'pod-7', lost: 96, lost_of: 100, good: 1_200, good_of: 9_000 };

describe('the words of a comparison', () => {
  it('have the counts of lost and of good requests', () => {
    expect(differenceWords(POD)).toBe('instance pod-7: 96 of 100 lost requests, 1,200 of 9,000 good ones');
  });

  it.each([
    ['what was compared', {}, 'Lost and good requests do not differ in version, instance or where they came in.'],
    [
      'that there is nothing to compare with',
      { good: 0 },
      'No request went well there, so there is nothing to compare with.',
    ],
    ['nothing if nothing was compared', { attributes: [] }, ''],
    ['nothing if something differs', { differences: [POD] }, ''],
  ])('say %s where nothing differs', (_, change, words) => {
    expect(noDifferenceWords({ ...COMPARISON, ...change })).toBe(words);
  });

  it('say that counts are estimated if senders send a sample', () => {
    expect(sampleWords(COMPARISON)).toBe('');
    expect(sampleWords({ ...COMPARISON, kept: 100 })).toBe(
      ' Estimated from 100 of them, because their senders send a sample.',
    );
  });
});
