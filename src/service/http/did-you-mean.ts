import leven from 'leven';

/** Maximum edit distance of a typo. */
const MAX_DISTANCE = 2;

/** The known word that a misspelt word probably means, or null. */
export function findSimilar(word: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((candidate) => ({
      candidate,
      distance: leven(word.toLowerCase(), candidate, { maxDistance: MAX_DISTANCE + 1 }),
    }))
    .filter(({ candidate, distance }) => distance <= MAX_DISTANCE && distance < candidate.length)
    .sort((one, other) => one.distance - other.distance);
  return nearest?.candidate ?? null;
}
