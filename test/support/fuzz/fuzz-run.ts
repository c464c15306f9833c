import type { Parameters } from 'fast-check';

/** `FUZZ_SEED=7 FUZZ_RUNS=5000 npx vitest run test/contract/service-fuzz.test.ts` tries others. */
export function fuzzRun(numRuns: number): Parameters<unknown> {
  return { numRuns: Number(process.env.FUZZ_RUNS ?? numRuns) };
}
