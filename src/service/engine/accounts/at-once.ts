import { sumOf } from '../bounded-map.ts';
import type { Verdict } from './verdicts.ts';

/** Losses with one cause begin within this time of each other. */
export const AT_ONCE_MS = 90_000;

export function isAtOnce(one: Verdict, other: Verdict): boolean {
  return Math.abs(one.episode.since - other.episode.since) <= AT_ONCE_MS;
}

/** Sums a measure over places: of each place the highest, since what it loses in several ways is one loss. */
export function sumOverPlaces<Item>(
  items: readonly Item[],
  verdictOf: (item: Item) => Verdict,
  measure: (item: Item) => number,
): number {
  const byPlace = new Map<string, number>();
  for (const item of items) {
    const { place } = verdictOf(item).account;
    byPlace.set(place, Math.max(byPlace.get(place) ?? 0, measure(item)));
  }
  return sumOf(byPlace);
}

/** Groups of what began at once, each within `AT_ONCE_MS` of the one before. */
export function groupByStart<Item>(items: readonly Item[], verdictOf: (item: Item) => Verdict): Item[][] {
  const beganAt = (item: Item) => verdictOf(item).episode.since;
  const groups: Item[][] = [];
  for (const item of items.toSorted((a, b) => beganAt(a) - beganAt(b))) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (last !== undefined && beganAt(item) - beganAt(last) <= AT_ONCE_MS) {
      group?.push(item);
    } else {
      groups.push([item]);
    }
  }
  return groups;
}
