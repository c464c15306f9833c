/**
 * Options of an LRU cache that holds at most this many entries, and takes memory as it fills. The option `max` allocates for
 * all of them at once: 7 MB for 250,000 entries.
 */
export function atMost(entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
