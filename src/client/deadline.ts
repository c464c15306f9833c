/**
 * Runs `work` with a signal that aborts once the time is over. `AbortSignal.timeout` would keep whatever listens to it
 * until then, however early the work has ended: at fifty calls a second, thousands of answers that nobody needs.
 */
export async function withDeadline<Result>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new DOMException(`no answer within ${timeoutMs / 1_000} s`, 'TimeoutError')),
    timeoutMs,
  );
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}
