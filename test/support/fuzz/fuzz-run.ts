import type { Parameters } from 'fast-check';

/** A slow machine makes fewer runs. */
const MAX_MS = 2_000;

/** `FUZZ_SEED=7 FUZZ_RUNS=5000 npx vitest run test/contract/service-fuzz.test.ts` tries others. A failure prints its seed. */
export function fuzzRun(numRuns: number): Parameters<unknown> {
  const { FUZZ_SEED: seed = 20_261_122, FUZZ_RUNS: runs } = process.env;
  return runs === undefined
    ? { seed: Number(seed), numRuns, interruptAfterTimeLimit: MAX_MS }
    : { seed: Number(seed), numRuns: Number(runs) };
}
