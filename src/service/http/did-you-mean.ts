/** Most letters that may be wrong for a word to count as a slip of another. */
const MAX_DISTANCE = 2;

/** The known word that was probably meant, or null. */
export function findMeant(word: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: distanceBetween(word.toLowerCase(), candidate) }))
    .filter(({ candidate, distance }) => distance <= MAX_DISTANCE && distance < candidate.length)
    .sort((one, other) => one.distance - other.distance);
  return nearest?.candidate ?? null;
}

/** Levenshtein's distance; words that differ much in length count as far apart without looking. */
function distanceBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MAX_DISTANCE) {
    return Number.POSITIVE_INFINITY;
  }
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of Array.from(one).entries()) {
    const current = [row + 1];
    for (const [column, otherLetter] of Array.from(other).entries()) {
      const replaced = (previous[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? Number.POSITIVE_INFINITY;
}
