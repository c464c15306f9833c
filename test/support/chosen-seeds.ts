import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** From vitest.config.ts. */
    chaosSeedsPerTransport: number;
  }
}

/** The seeds of this run, starting with `first`. `CHAOS_SEED=7 npx vitest run test/chaos` runs one seed. */
export function chosenSeeds(first: number): readonly number[] {
  const asked = process.env.CHAOS_SEED;
  return asked === undefined
    ? Array.from({ length: inject('chaosSeedsPerTransport') }, (_, index) => first + index)
    : [Number(asked)];
}
