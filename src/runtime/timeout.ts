/**
 * Runs `work` with a signal that aborts after `timeoutMs`, and rejects then, whether or not `work` obeys the signal.
 * Unlike `AbortSignal.timeout`, nothing is kept once `work` has ended.
 *
 * @throws DOMException `TimeoutError`, or what `work` throws
 */
export async function withTimeout<Result>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new DOMException(`no answer within ${timeoutMs / 1_000} s`, 'TimeoutError');
    reject(error); // first, so that it wins over what `work` makes of the abort
    deadline.abort(error);
  }, timeoutMs);
  try {
    return await Promise.race([work(deadline.signal), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits for `work` to settle, `timeoutMs` at most.
 *
 * @returns whether it settled in time, resolved or rejected
 */
export async function settlesWithin(timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return withTimeout(timeoutMs, () => settled).catch(() => false);
}
