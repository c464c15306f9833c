import type { Verdict } from './verdicts.ts';

/** Losses with one cause begin within this time of each other. */
export const AT_ONCE_MS = 90_000;

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
