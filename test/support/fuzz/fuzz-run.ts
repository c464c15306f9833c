/** `FUZZ_SEED=7 FUZZ_RUNS=5000 npx vitest run test/contract/service-fuzz.test.ts` tries others. A failure prints its seed. */
export function fuzzRun(runs: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: Number(process.env.FUZZ_SEED ?? 20_261_122), numRuns: Number(process.env.FUZZ_RUNS ?? runs) };
}
