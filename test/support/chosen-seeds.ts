/** `CHAOS_SEED=7 npx vitest run test/chaos` runs one seed instead of the usual ones. */
export function chosenSeeds(usual: () => readonly number[]): readonly number[] {
  const asked = process.env.CHAOS_SEED;
  return asked === undefined ? usual() : [Number(asked)];
}
