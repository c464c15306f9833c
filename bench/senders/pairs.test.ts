import { expect, it } from 'vitest';
import { judgePair, readPairs } from './pairs.ts';

const PAIRS = readPairs();

it.each(PAIRS.filter(({ fault }) => fault === null).map((pair) => [pair.name, pair] as const))(
  'reads what %s sends as a careful reader does, set up by a failure and its end',
  (_, pair) => {
    expect(judgePair(pair)).toEqual({ verdict: 'right', why: '', faults: [] });
  },
);

it.each(PAIRS.flatMap((pair) => (pair.fault === null ? [] : [[pair.name, pair.fault, pair] as const])))(
  'loses no failure of %s, though %s',
  (_name, _fault, pair) => {
    const { verdict, why, faults } = judgePair(pair);

    expect(verdict).not.toBe('wrong in silence');
    expect(why === '' && faults.length === 0).toBe(false);
  },
);
