/**
 * How sure it is that the share of hits among `total` differs from that among `usualTotal`: the G statistic of the two
 * shares (a likelihood ratio). 3.8 is exceeded by chance once in 20, 10.8 once in 1,000.
 */
export function shareDifference(hits: number, total: number, usualHits: number, usualTotal: number): number {
  const pooled = (hits + usualHits) / (total + usualTotal);
  return 2 * (gain(hits, total, pooled) + gain(usualHits, usualTotal, pooled));
}

function gain(hits: number, total: number, pooled: number): number {
  return term(hits, total * pooled) + term(total - hits, total * (1 - pooled));
}

function term(observed: number, expected: number): number {
  return observed <= 0 ? 0 : observed * Math.log(observed / expected);
}
