/**
 * Terms of the weighing, see `explain`: what each tells of who lost requests and who did not. The laboratory can switch each off, to
 * measure what it is worth: `npm run bench:lab -- --terms`.
 */
export const TERMS = ['callers', 'callees', 'late answers', 'lost spans', 'servers', 'where'] as const;

export type Term = (typeof TERMS)[number];

const off = new Set<Term>();

/** For the whole process, instead of those that were switched off before. */
export function switchOff(terms: Iterable<Term>): void {
  off.clear();
  for (const term of terms) {
    off.add(term);
  }
}

export function isOn(term: Term): boolean {
  return !off.has(term);
}
