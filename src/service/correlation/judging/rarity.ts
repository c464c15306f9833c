/** How often a fingerprint fired in quiet time, of how many times it was looked at. */
export interface QuietRate {
  looks: number;
  fired: number;
}

/** Fewer looks say little about what is normal: the rate counts as if there had been this many. */
const LEAST_LOOKS = 50;
/** What fires in one of a hundred quiet looks is worth half. */
const HALF_WORTH = 0.01;

/** 1: never fires in quiet time. 0.1: fires in a tenth of all looks. */
export function rarityOf(rate: QuietRate | undefined): number {
  if (rate === undefined) {
    return 1;
  }
  const share = rate.fired / Math.max(rate.looks, LEAST_LOOKS);
  return 1 / (1 + share / HALF_WORTH);
}
