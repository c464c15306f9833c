import { describe, expect, it } from 'vitest';
import { chosenSeed } from '../support/chosen-seed.ts';
import { runSeed } from './run-seed.ts';

const SEEDS = chosenSeed() ?? Array.from({ length: 25 }, (_, index) => 26 + index);

describe('over signed HTTP, whatever goes wrong', { timeout: 120_000 }, () => {
  it.each(SEEDS)('every card ends true and alone, and everybody is answered (seed %i)', async (seed) => {
    const broken = await runSeed(seed, 'http', { steps: 45 });

    expect(broken).toEqual([]);
  });
});
