import { expect, it } from 'vitest';
import type { DirectRun } from '../requests/direct-runs.ts';
import { countRefusals, MAX_RUNS, type Refusals, refusingCallees } from './refusals.ts';

const refused: DirectRun = {
  operation: 'buy',
  outcome: 'failed',
  answered: new Set(),
  usualShares: new Map([['stock', 0.5]]),
};
const without: DirectRun = { ...refused, outcome: 'well' };

it('is sure after some runs, and counts no more than tell something, however many come', () => {
  const refusals: Refusals = new Map();
  for (let index = 0; index < 5 * MAX_RUNS; index += 1) {
    countRefusals(refusals, [index % 2 === 0 ? refused : without]);
  }

  expect(refusingCallees(refusals)).toEqual(['stock']);
  expect(refusals.get('stock')?.byOperation.get('buy')).toEqual({
    well: MAX_RUNS / 2,
    failed: MAX_RUNS / 2,
    calling: MAX_RUNS / 2,
  });
});

it('is not sure if the callee answers, or if runs fail in another share than usually call it', () => {
  const answering: Refusals = new Map();
  const often: Refusals = new Map();
  for (let index = 0; index < 100; index += 1) {
    const reached = { ...without, answered: new Set(['stock']) };
    countRefusals(answering, [index % 2 === 0 ? refused : reached]);
    countRefusals(often, [index % 10 === 0 ? without : refused]);
  }

  expect(refusingCallees(answering)).toEqual([]);
  expect(refusingCallees(often)).toEqual([]);
});
