import leven from 'leven';

const LARGEST_TYPO = 2;
const LONGEST_TYPED = 40;

/**
 * The word that somebody meant. Short words must be closer, so that nonsense suggests nothing.
 *
 * @param words the likeliest first: of equally close ones the first wins
 * @returns null: none is close
 */
export function closest(typed: string, words: readonly string[]): string | null {
  const word = typed.slice(0, LONGEST_TYPED).toLowerCase();
  const ranked = words
    .map((each) => ({ each, distance: leven(word, each.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.min(LARGEST_TYPO, best.each.length - 2) ? best.each : null;
}
