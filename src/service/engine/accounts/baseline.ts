/**
 * How often looks of a stream have a mark while nothing is wrong. Marks come in bursts even without a fault, so a look
 * soon after a mark has a baseline of its own: by its distance from that mark, since bursts are mixed with requests that
 * they do not reach, and by the kind of the mark, since failures in bursts say nothing about how slow requests come.
 */
export interface Baseline {
  /** Baseline of looks outside bursts, and of those in bursts, by distance and kind of the last mark. */
  readonly first: Share;
  readonly next: Record<string, Following>;
  /** Looks that are not baseline yet, see `isBurstOver`. */
  readonly openFirst: Share;
  openNext: Record<string, Following>;
  /** The marks that came last, if they are recent; null: there are none. */
  burst: Burst | null;
  /** Lower bound of the baseline: what people taught to be no problem. 0: nothing. */
  readonly allowed: number;
}

/** Marks of kinds that are not listed in `BURSTS` come in runs at most. */
interface Bursts {
  /** Looks after a mark that belong to its burst. */
  readonly looks: number;
  /** The looks of one burst are alike, so they count as this many, or as a share of them if there are very many. */
  readonly counted: number;
}

const RUNS: Bursts = { looks: 1, counted: 300 };
/** Failures of one operation come together, mixed with requests of others. */
const BURSTS: Readonly<Record<string, Bursts>> = { failed: { looks: 16, counted: 4 } };

function burstsOf(kind: string): Bursts {
  return BURSTS[kind] ?? RUNS;
}

/** Marks among looks, fading. */
interface Share {
  hits: number;
  looks: number;
}

/** Marks with fewer than `Bursts.looks` of their kind between them. */
interface Burst {
  /** Kind of the last one. */
  readonly kind: string;
  /** Looks since then, the next one included. */
  readonly distance: number;
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
  /** By distance. */
  readonly next: Record<string, Following>;
}

/** A look in a burst is judged by its distance from the last mark, in looks. */
const DISTANCES = [
  { name: 'next', most: 1, prior: 0.15 },
  { name: 'near', most: 4, prior: 0.01 },
  { name: 'late', most: 16, prior: 0.004 },
] as const;
/** Initial baseline of a pool. `prior` is the share of the same kind of marks, and that of other kinds. */
const PRIOR = { hits: 0.4, looks: 100 };
const PRIOR_NEXT_LOOKS = 6;
/** How much the pool weighs in a baseline, in looks. */
const POOL_FIRST = 100;
const POOL_NEXT = 4;
/**
 * Lower bound for the marks that the pool adds. However rare marks are elsewhere, a place with none in n looks may have
 * one in 20n.
 */
const LEAST_POOLED = 0.05;
/**
 * Upper bound for the runs that the pool expects of a place. Outages of others are long runs too, and must not hide the
 * next outage of a place that never had any.
 */
const MOST_POOLED_NEXT = 0.5;
/** Counts are halved beyond this many looks, because places change. */
const MOST_LOOKS = 6_000;
const MOST_NEXT = 300;
const MOST_POOLED = 20_000;

const NOTHING_FOLLOWED: Following = { same: 0, other: 0, looks: 0 };

export function createBaseline(allowed: number): Baseline {
  return {
    first: { hits: 0, looks: 0 },
    next: {},
    openFirst: { hits: 0, looks: 0 },
    openNext: {},
    burst: null,
    allowed,
  };
}

export function createPool(): Pool {
  const next: Pool['next'] = {};
  for (const { name, prior } of DISTANCES) {
    next[name] = { same: prior * PRIOR_NEXT_LOOKS, other: prior * PRIOR_NEXT_LOOKS, looks: PRIOR_NEXT_LOOKS };
  }
  return { first: { ...PRIOR }, next };
}

function contextOf({ kind, distance }: Burst): { readonly own: string; readonly pooled: string } {
  const { name } = DISTANCES.find(({ most }) => distance <= most) ?? DISTANCES[2];
  return { own: `${name} ${kind}`, pooled: name };
}

/** Moves on to the next look. */
export function moveOn(baseline: Baseline, found: string | null): void {
  const { burst } = baseline;
  if (found !== null) {
    baseline.burst = { kind: found, distance: 1 };
  } else if (burst !== null) {
    baseline.burst = burst.distance < burstsOf(burst.kind).looks ? { ...burst, distance: burst.distance + 1 } : null;
  }
}

/** Baseline share of marks in looks outside bursts. */
export function usualShare({ first, allowed }: Pick<Baseline, 'first' | 'allowed'>, pool: Pool): number {
  const pooled = Math.max(LEAST_POOLED, (POOL_FIRST * pool.first.hits) / pool.first.looks);
  return Math.min(0.9, Math.max(allowed, (first.hits + pooled) / (first.looks + POOL_FIRST)));
}

/** Baseline probability of what a look finds; of a look without a mark, that it had one. */
export function expectedShare(baseline: Baseline, pool: Pool, found: string | null, usual: number): number {
  const { burst, next } = baseline;
  if (burst === null) {
    return usual;
  }
  const { kind } = burst;
  const context = contextOf(burst);
  const own = next[context.own] ?? NOTHING_FOLLOWED;
  const all = pool.next[context.pooled] ?? NOTHING_FOLLOWED;
  const shareOf = (count: (following: Following) => number) => {
    const pooled = Math.min(MOST_POOLED_NEXT, count(all) / all.looks);
    return (count(own) + POOL_NEXT * pooled) / (own.looks + POOL_NEXT);
  };
  const share = shareOf(({ same, other }) => (found === null ? same + other : found === kind ? same : other));
  return Math.min(0.99, Math.max(share, usual));
}

/** A burst of more than this share of all looks of the baseline may be how things are. */
const LONG_SHARE = 0.3;

/** Whether the looks since the last call of `addToBaseline` tell what is usual: a burst does when it is over. */
export function isBurstOver({ burst, first, next, openFirst, openNext }: Baseline): boolean {
  return burst === null || (burst.distance > 1 && looksOf(openFirst, openNext) > LONG_SHARE * looksOf(first, next));
}

function looksOf(first: Share, next: Readonly<Record<string, Following>>): number {
  return Object.values(next).reduce((sum, { looks }) => sum + looks, first.looks);
}

/** Adds a look to those that are not baseline yet. */
export function countLook({ burst, openFirst, openNext }: Baseline, found: string | null): void {
  if (burst === null) {
    openFirst.hits += found === null ? 0 : 1;
    openFirst.looks += 1;
    return;
  }
  const { kind } = burst;
  const { own } = contextOf(burst);
  const following = openNext[own] ?? { ...NOTHING_FOLLOWED };
  openNext[own] = following;
  following.same += found === kind ? 1 : 0;
  following.other += found !== null && found !== kind ? 1 : 0;
  following.looks += 1;
}

/** Makes the looks since the last call part of the baseline, and of that of all streams of the kind, if there is a pool. */
export function addToBaseline(baseline: Baseline, pool: Pool | null): void {
  const { first, next, openFirst, openNext } = baseline;
  for (const share of pool === null ? [first] : [first, pool.first]) {
    share.hits += openFirst.hits;
    share.looks += openFirst.looks;
  }
  for (const [context, open] of Object.entries(openNext)) {
    const own = next[context] ?? { ...NOTHING_FOLLOWED };
    next[context] = own;
    const [distance = '', kind = ''] = context.split(' ');
    const all = pool?.next[distance];
    const weight = Math.min(1, Math.max(burstsOf(kind).counted / open.looks, LONG_SHARE));
    for (const following of all === undefined ? [own] : [own, all]) {
      following.same += weight * open.same;
      following.other += weight * open.other;
      following.looks += weight * open.looks;
    }
  }
  forgetEpisode(baseline);
  fade(baseline, pool);
}

/** Halves old counts. */
export function fade(baseline: Baseline, pool: Pool | null): void {
  halveBeyond(baseline.first, MOST_LOOKS);
  if (pool !== null) {
    halveBeyond(pool.first, MOST_POOLED);
  }
  for (const following of [...Object.values(baseline.next), ...Object.values(pool?.next ?? {})]) {
    while (following.looks > MOST_NEXT) {
      following.same /= 2;
      following.other /= 2;
      following.looks /= 2;
    }
  }
}

function halveBeyond(share: Share, most: number): void {
  while (share.looks > most) {
    share.hits /= 2;
    share.looks /= 2;
  }
}

/** Drops the looks that are not baseline yet. */
export function forgetEpisode(baseline: Baseline): void {
  baseline.openFirst.hits = 0;
  baseline.openFirst.looks = 0;
  baseline.openNext = {};
}
