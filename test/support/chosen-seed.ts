/** The one that `CHAOS_SEED=7 vitest run test/chaos` asks for; null: all. */
export function chosenSeed(): readonly number[] | null {
  const asked = process.env.CHAOS_SEED;
  return asked === undefined ? null : [Number(asked)];
}
