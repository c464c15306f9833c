/** How long to wait before trying again: `firstMs`, doubled with each further failure, `longestMs` at most. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * @param failures in a row, the last one included; 1 gives `firstMs`
 * @param random from 0 to below 1: half of the delay is jitter, so that what failed together does not retry together;
 *   absent: no jitter
 * @returns milliseconds
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number, random?: number): number {
  const delayMs = Math.min(firstMs * 2 ** Math.max(0, failures - 1), longestMs);
  return random === undefined ? delayMs : delayMs * (0.5 + random / 2);
}
