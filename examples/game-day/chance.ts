import { createHash } from 'node:crypto';

/** Pseudo-random numbers and choices that depend only on the seed and the number of earlier draws. */
export interface Chance {
  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  shuffle<T>(items: readonly T[]): readonly T[];
}

export function createChance(seed: string): Chance {
  let drawn = 0;

  function fraction(): number {
    drawn += 1;
    return (
      createHash('sha256')
        .update(JSON.stringify([seed, drawn]))
        .digest()
        .readUIntBE(0, 6) /
      2 ** 48
    );
  }

  return {
    between: (least, most) => least + Math.floor(fraction() * (most - least + 1)),
    pick: (from) => from[Math.floor(fraction() * from.length)] ?? from[0],
    shuffle: (items) =>
      items
        .map((item) => ({ item, at: fraction() }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ item }) => item),
  };
}
