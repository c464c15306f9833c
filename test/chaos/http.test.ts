import { describe, expect, it } from 'vitest';
import { chosenSeeds } from '../support/chosen-seeds.ts';
import { runSeed } from './run-seed.ts';
import { SIZE, tellingSeeds } from './telling-seeds.ts';

const SEEDS = chosenSeeds(() => tellingSeeds(26));

describe('chaos over signed HTTP', () => {
  it.each(SEEDS)('ends with one correct card per incident and an answer to every action (seed %i)', async (seed) => {
    const broken = await runSeed(seed, 'http', SIZE);

    expect(broken).toEqual([]);
  });
});
