/** Twice as long after each failure in a row, up to the longest. @param failures before this one */
export function doubling(firstMs: number, failures: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** failures, longestMs);
}
