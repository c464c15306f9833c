/** A seeded source of random numbers: the same seed gives the same numbers on every machine. */
export interface Random {
  /** From 0 up to 1, without 1. */
  readonly next: () => number;
  /** A source of its own for one part, so that a change in one part leaves the others as they are. */
  readonly fork: (part: string) => Random;
}

/** sfc32, which passes PractRand; seeded from a hash of the text. */
export function createRandom(seed: string): Random {
  let a = hash(seed, 1);
  let b = hash(seed, 2);
  let c = hash(seed, 3);
  let counter = 1;
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round += 1) {
    next();
  }
  return { next, fork: (part) => createRandom(`${seed}/${part}`) };
}

function hash(text: string, salt: number): number {
  let mixed = 2_166_136_261 ^ Math.imul(salt, 2_654_435_761);
  for (let index = 0; index < text.length; index += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(index), 16_777_619);
  }
  return Math.imul(mixed ^ (mixed >>> 15), 2_246_822_519);
}

/** Evenly from `low` up to `high`. */
export function between({ next }: Random, low: number, high: number): number {
  return low + (high - low) * next();
}

/** A whole number from `low` to `high`, both included. */
export function wholeBetween({ next }: Random, low: number, high: number): number {
  return low + Math.floor((high - low + 1) * next());
}

/** As often between 1 and 10 as between 10 and 100. */
export function logBetween(random: Random, low: number, high: number): number {
  return Math.exp(between(random, Math.log(low), Math.log(high)));
}

export function chance({ next }: Random, share: number): boolean {
  return share > 0 && next() < share;
}

/** @throws RangeError when there is nothing to pick from */
export function pick<T>({ next }: Random, choices: readonly T[]): T {
  const picked = choices[Math.floor(next() * choices.length)];
  if (picked === undefined) {
    throw new RangeError('nothing to pick from');
  }
  return picked;
}

/** @throws RangeError when there is nothing to pick from */
export function pickWeighted<T>({ next }: Random, choices: readonly (readonly [T, number])[]): T {
  let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) {
    left -= weight;
    if (left < 0) {
      return choice;
    }
  }
  return pick({ next, fork: createRandom }, choices)[0];
}

export function shuffled<T>({ next }: Random, values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, order: next() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

/** @returns a factor around 1: log-normal with median 1, where `sigma` 0.5 gives 0.44 to 2.3 in nine of ten cases */
export function logNormal({ next }: Random, sigma: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - next()));
  return Math.exp(sigma * radius * Math.cos(2 * Math.PI * next()));
}
