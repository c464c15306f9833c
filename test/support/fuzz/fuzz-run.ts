import type { Parameters } from 'fast-check';

/** A slow machine makes fewer runs. */
const MAX_MS = 2_000;

/** `FUZZ_SEED=7 FUZZ_RUNS=5000 npx vitest run test/contract/service-fuzz.test.ts` tries others. */
export function fuzzRun(numRuns: number): Parameters<unknown> {
  const { FUZZ_RUNS: runs } = process.env;
  return runs === undefined ? { numRuns, interruptAfterTimeLimit: MAX_MS } : { numRuns: Number(runs) };
}
