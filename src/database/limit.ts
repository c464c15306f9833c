import { DatabaseTimeoutError } from './errors.ts';

/**
 * Waits for `work`, `limitMs` at most. Rejects as soon as the time is over, whatever `work` does then.
 *
 * @param abandon called when the time is over
 * @throws DatabaseTimeoutError
 */
export async function withLimit<Result>(limitMs: number, work: Promise<Result>, abandon: () => void): Promise<Result> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    abandon();
    reject(new DatabaseTimeoutError(`the database did not answer within ${limitMs / 1_000} s`));
  }, limitMs);
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined); // a late failure must not become an unhandled rejection
  }
}
