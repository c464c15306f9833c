/** How long to wait before trying again: `firstMs`, doubled with each further failure, `longestMs` at most. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * @param failures number of consecutive failures, including the last one; 1 gives `firstMs`
 * @param random in [0, 1): half of the delay becomes jitter, so that callers that failed together retry at different
 *   times; absent: no jitter
 * @returns milliseconds
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number, random?: number): number {
  const delayMs = Math.min(firstMs * 2 ** Math.max(0, failures - 1), longestMs);
  return random === undefined ? delayMs : delayMs * (0.5 + random / 2);
}
