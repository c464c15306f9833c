/**
 * Runs `work` with a signal that aborts after `timeoutMs`. If `work` ignores the signal, rejects nevertheless. Unlike
 * `AbortSignal.timeout`, nothing is kept once `work` has ended.
 *
 * @throws what `work` throws; DOMException `TimeoutError` if it ignores the signal
 */
export async function withTimeout<Result>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new DOMException(`no answer within ${timeoutMs / 1_000} s`, 'TimeoutError');
    deadline.abort(error);
    setImmediate(reject, error); // so that `work` can reject first, with its own error
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
