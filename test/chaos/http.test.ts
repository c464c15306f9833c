import { describe, expect, it } from 'vitest';
import { chosenSeeds } from '../support/chosen-seeds.ts';
import { runSeed } from './run-seed.ts';

const SEEDS = chosenSeeds(26);

describe('over signed HTTP, whatever goes wrong', { timeout: 120_000 }, () => {
  it.each(SEEDS)('every card ends true and alone, and everybody is answered (seed %i)', async (seed) => {
    const broken = await runSeed(seed, 'http', { steps: 45 });

    expect(broken).toEqual([]);
  });
});
