import { expect, it } from 'vitest';
import { deployedWords } from './deploys.ts';

const FAILED = '2026-11-22T10:00:00.000Z';
const OPENED = '2026-11-22T10:01:00.000Z';

it.each([
  ['09:57:00', FAILED, 'deployed 3 min before the first failure'],
  ['07:59:00', FAILED, 'deployed 2 h before the first failure'],
  ['09:59:45', FAILED, 'deployed just before the first failure'],
  ['10:00:00', FAILED, 'deployed just before the first failure'],
  ['10:00:15', FAILED, 'deployed just after the first failure'],
  ['10:00:45', FAILED, 'deployed 1 min after the first failure'],
  ['10:00:00', undefined, 'deployed 1 min before it opened'],
] as const)('tells when something was deployed at %s, first failure at %s', (time, failed_at, words) => {
  expect(deployedWords({ at: `2026-11-22T${time}.000Z`, failed_at }, OPENED)).toBe(words);
});
