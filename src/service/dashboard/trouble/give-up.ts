import type { MiddlewareHandler } from 'hono';
import { createRealClock } from '../../../runtime/clock.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import type { Pulse } from './pulse.ts';

/** Nearly every page is there sooner. */
const PATIENCE_MS = 1_000;

/** The database does not answer, and a page waits for it. */
export class DatabaseSilentError extends Error {
  override readonly name = 'DatabaseSilentError';

  constructor() {
    super('the database does not answer');
  }
}

/** Ends a request that waits while the database does not answer. One that is merely slow goes on. */
export function giveUpInTrouble(pulse: Pulse): MiddlewareHandler<DashboardEnv> {
  const clock = createRealClock();
  return async (_c, next) => {
    const { promise: silence, reject } = Promise.withResolvers<never>();
    let stopWatching = () => {};
    const stopWaiting = clock.after(PATIENCE_MS, () => {
      stopWatching = pulse.watch((isWell) => (isWell ? undefined : reject(new DatabaseSilentError())));
    });
    try {
      await Promise.race([next(), silence]);
    } finally {
      stopWaiting();
      stopWatching();
    }
  };
}
