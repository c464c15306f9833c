import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** From vitest.config.ts. */
    isWeekly: boolean;
  }
}

/** How often something is tried in the gate, and by `.ci/weekly.sh`. */
export function rounds(often: { readonly gate: number; readonly weekly: number }): number {
  return inject('isWeekly') ? often.weekly : often.gate;
}
