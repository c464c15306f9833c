import { expect, it } from 'vitest';
import { runSeed } from './run-seed.ts';

/** In its plan, a request that is cut off is repeated, and then arrives. */
const SEED = 11;

it('is found out: a write that comes late wins at a service that forgets keys and conditions', async () => {
  const broken = await runSeed(SEED, 'socket', { steps: 45 }, ({ service }) => service.forgetConditions());

  expect(broken.filter((law) => /was done at .*, after its action was settled/.test(law))).not.toEqual([]);
});
