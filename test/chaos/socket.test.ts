import { describe, expect, it } from 'vitest';
import { chosenSeeds } from '../support/chosen-seeds.ts';
import { runSeed } from './run-seed.ts';
import { SIZE, tellingSeeds } from './telling-seeds.ts';

const SEEDS = chosenSeeds(() => tellingSeeds(1));

describe('chaos over Socket Mode', () => {
  it.each(SEEDS)('ends with one correct card per incident and an answer to every action (seed %i)', async (seed) => {
    const broken = await runSeed(seed, 'socket', SIZE);

    expect(broken).toEqual([]);
  });

  it('ends in the same way for 200 incidents at once', async () => {
    const broken = await runSeed(SEEDS[0] ?? 1, 'socket', { steps: 60, burst: 200 });

    expect(broken).toEqual([]);
  });
});
