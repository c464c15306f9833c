import { expect, it } from 'vitest';
import { findSimilar } from './did-you-mean.ts';

const known = ['service', 'type', 'from', 'to', 'limit', 'offset'];

it.each([
  ['servce', 'service'],
  ['Limits', 'limit'],
  ['form', 'from'],
  ['t', 'to'],
  ['colour', null],
  ['xy', null],
  ['x'.repeat(10_000), null],
])('takes %.12s to mean %s', (word, meant) => {
  expect(findSimilar(word, known)).toBe(meant);
});
