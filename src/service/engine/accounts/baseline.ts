import { getOrCreate, senderKey } from '../bounded-map.ts';
import { LIMITS, MOST_LOOKS } from '../constants.ts';
import {
  LEAST_POOLED,
  MOST_NEXT,
  MOST_POOLED,
  MOST_POOLED_NEXT,
  POOL_FIRST,
  POOL_NEXT,
  PRIOR,
  PRIOR_NEXT,
} from './constants.ts';

/**
 * How often looks of a stream have a mark while nothing is wrong. Marks come in bursts even without a fault, so a look
 * after a mark has a baseline of its own, for each kind of mark: failures in bursts say nothing about how slow requests
 * come.
 */
export interface Baseline {
  /** Baseline after a look without a mark, and after one with a mark of each kind. */
  readonly first: Share;
  readonly next: Record<string, Following>;
  /** Looks that are not baseline yet. They are added to it by a look without a mark, unless the stream is open. */
  readonly openFirst: Share;
  openNext: Record<string, Following>;
  /** Kind of the mark of the last look; null: it had none. */
  last: string | null;
  /** Lower bound of the baseline: what people taught to be no problem, or what may be usual as well. 0: none. */
  allowed: number;
}

/** Marks among looks. */
interface Share {
  hits: number;
  looks: number;
}

/** Marks of the same kind and of other kinds among the looks after a mark, fading. */
interface Following {
  same: number;
  other: number;
  looks: number;
}

/** Baseline of all streams of one kind, since a single stream may have few looks. */
export interface Pool {
  readonly first: Share;
  readonly next: Following;
}

const NOTHING_FOLLOWED: Following = { same: 0, other: 0, looks: 0 };

export function createBaseline(allowed: number): Baseline {
  return {
    first: { hits: 0, looks: 0 },
    next: {},
    openFirst: { hits: 0, looks: 0 },
    openNext: {},
    last: null,
    allowed,
  };
}

export function createPool(): Pool {
  return { first: { ...PRIOR }, next: { ...PRIOR_NEXT } };
}

/**
 * The share of marks is pooled by sender, so that the failures of one do not become usual for another. What follows a mark is pooled
 * over all senders: a sender with one service has seen too few, and the pool weighs only a few looks.
 */
export interface Pools {
  /** By sender and kind. */
  readonly first: Map<string, Share>;
  /** By kind. */
  readonly next: Map<string, Following>;
}

export function createPools(): Pools {
  return { first: new Map(), next: new Map() };
}

export function poolIn({ first, next }: Pools, sender: string, kind: string): Pool {
  return {
    first: getOrCreate(first, senderKey(sender, kind), LIMITS.services, () => ({ ...PRIOR })),
    next: getOrCreate(next, kind, LIMITS.services, () => ({ ...PRIOR_NEXT })),
  };
}

/** Baseline share of marks in looks that do not follow a mark. */
export function usualShare({ first, allowed }: Pick<Baseline, 'first' | 'allowed'>, pool: Pool): number {
  const pooled = Math.max(LEAST_POOLED, (POOL_FIRST * pool.first.hits) / pool.first.looks);
  return Math.min(0.9, Math.max(allowed, (first.hits + pooled) / (first.looks + POOL_FIRST)));
}

/** Baseline probability of the mark that a look finds. For a look without a mark, the probability that it had one. */
export function expectedShare(baseline: Baseline, pool: Pool, found: string | null, usual: number): number {
  const { last, next } = baseline;
  if (last === null) {
    return usual;
  }
  const own = next[last] ?? NOTHING_FOLLOWED;
  const shareOf = (count: (following: Following) => number) => {
    const pooled = Math.min(MOST_POOLED_NEXT, count(pool.next) / pool.next.looks);
    return (count(own) + POOL_NEXT * pooled) / (own.looks + POOL_NEXT);
  };
  const share = shareOf(({ same, other }) => (found === null ? same + other : found === last ? same : other));
  return Math.min(0.99, Math.max(share, usual));
}

/** Counts a look, which becomes part of the baseline with the next `addToBaseline`. */
export function countLook({ last, openFirst, openNext }: Baseline, found: string | null): void {
  if (last === null) {
    openFirst.hits += found === null ? 0 : 1;
    openFirst.looks += 1;
    return;
  }
  const following = openNext[last] ?? { ...NOTHING_FOLLOWED };
  openNext[last] = following;
  following.same += found === last ? 1 : 0;
  following.other += found !== null && found !== last ? 1 : 0;
  following.looks += 1;
}

/** Makes the looks since the last call part of the baseline, and of that of all streams of the kind. */
export function addToBaseline(baseline: Baseline, pool: Pool): void {
  const { first, next, openFirst, openNext } = baseline;
  for (const share of [first, pool.first]) {
    share.hits += openFirst.hits;
    share.looks += openFirst.looks;
  }
  for (const [kind, open] of Object.entries(openNext)) {
    const own = next[kind] ?? { ...NOTHING_FOLLOWED };
    next[kind] = own;
    for (const following of [own, pool.next]) {
      following.same += open.same;
      following.other += open.other;
      following.looks += open.looks;
    }
  }
  forgetEpisode(baseline);
  fade(baseline, pool);
}

function halveBeyond(share: Share, most: number): void {
  while (share.looks > most) {
    share.hits /= 2;
    share.looks /= 2;
  }
}

/** Halves old counts. */
export function fade(baseline: Baseline, pool: Pool): void {
  halveBeyond(baseline.first, MOST_LOOKS);
  halveBeyond(pool.first, MOST_POOLED);
  for (const following of [...Object.values(baseline.next), pool.next]) {
    while (following.looks > MOST_NEXT) {
      following.same /= 2;
      following.other /= 2;
      following.looks /= 2;
    }
  }
}

/** Drops the looks that are not baseline yet. */
export function forgetEpisode(baseline: Baseline): void {
  baseline.openFirst.hits = 0;
  baseline.openFirst.looks = 0;
  baseline.openNext = {};
}
