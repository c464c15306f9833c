import { type Episode, unansweredIn } from './episode.ts';

/** What callers lose on the way to a place. */
type Losses = Pick<Episode, 'edges' | 'seenCallers' | 'kinds' | 'requests'>;

/**
 * All that a place loses during an episode, in its way and in others: callers that get over a failure, or wait patiently,
 * show as another kind than the rest.
 */
export function lossesOf({ edges, seenCallers, kinds, requests, otherLosses }: Episode): Losses {
  return {
    edges: addCounts(edges, otherLosses.edges),
    seenCallers: addCounts(seenCallers, otherLosses.edges),
    kinds: addCounts(kinds, otherLosses.kinds),
    requests: requests + otherLosses.requests,
  };
}

function addCounts<Key>(one: ReadonlyMap<Key, number>, other: ReadonlyMap<Key, number>): Map<Key, number> {
  const sums = new Map(one);
  for (const [key, count] of other) {
    sums.set(key, (sums.get(key) ?? 0) + count);
  }
  return sums;
}

/** Share of the lost requests that one caller must account for. */
const MOST_OF_IT = 0.75;

/** Odds of 100 to 1: what other callers have done well is no chance. */
const BEYOND_CHANCE = Math.log(100);
/** Most that the other callers may lose, relative to the one that is at fault. */
const RARELY = 0.25;

/**
 * The one caller that loses requests on the way to the place, while so many of the others reach it well that the place
 * cannot be at fault: its network, its credentials or what it asks for. null: there is none, or too few others.
 */
export function loneCaller(losses: Losses): string | null {
  const caller = soleCaller(losses);
  const { edges, seenCallers } = losses;
  const seen = seenCallers.get(caller ?? '') ?? 0;
  if (caller === null || seen === 0) {
    return null;
  }
  const lostShare = Math.min(0.98, (edges.get(caller) ?? 0) / seen);
  const others = [...seenCallers].filter(([other]) => other !== caller);
  const reached = others.reduce((sum, [, count]) => sum + count, 0);
  const lost = others.reduce((sum, [other]) => sum + (edges.get(other) ?? 0), 0);
  const isChance = (reached - lost) * -Math.log(1 - lostShare) < BEYOND_CHANCE;
  return isChance || lost > RARELY * lostShare * reached ? null : caller;
}

/** The one caller that loses most of the requests on the way to the place, or null. */
export function soleCaller({ edges, kinds, requests }: Losses): string | null {
  if (unansweredIn({ kinds }) < MOST_OF_IT * requests) {
    return null;
  }
  for (const [caller, count] of edges) {
    if (caller !== '' && count >= MOST_OF_IT * requests) {
      return caller;
    }
  }
  return null;
}
