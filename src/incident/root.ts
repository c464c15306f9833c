import type { Correlation } from '../contract/resources.ts';

/** Confidence, 0 to 1, below which the root service is not named as a fact. */
const UNSURE_BELOW = 0.25;

/** The two services that may be the root; empty: the service is sure, or names no second one. */
export function possibleRoots({
  confidence,
  candidates = [],
}: Pick<Correlation, 'confidence' | 'candidates'>): string[] {
  return confidence < UNSURE_BELOW && candidates.length > 1 ? candidates.slice(0, 2).map(({ service }) => service) : [];
}
