import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** From vitest.config.ts. */
    shareOfRuns: number;
  }
}

/** How many values a property tries: all in the gate, a share of them in `npm test`. */
export function runs(all: number): number {
  return Math.ceil(all * inject('shareOfRuns'));
}
