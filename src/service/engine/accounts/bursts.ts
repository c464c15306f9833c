import { COUNTED, LEAST_BURSTS, MOST_NEXT, PRIOR_LOOKS, RANGES } from './constants.ts';

/**
 * How failures of one stream usually follow each other. They come in bursts even without a fault: those of one operation
 * are mixed with good requests of others. Only a stream's own bursts count, and only once they are over, so that an
 * outage is never taken for one.
 */
export interface Bursts {
  /** Looks since the last failure, the next one included; null: it is not recent. */
  distance: number | null;
  /** What is usual, fading. */
  readonly usual: Course;
  /** What may still belong to a fault. */
  readonly recent: Course;
}

interface Course {
  bursts: number;
  /** Failures among the looks in them, by `RANGES`. */
  readonly shares: readonly Share[];
}

/** Marks among looks. */
export interface Share {
  hits: number;
  looks: number;
}

export function createBursts(): Bursts {
  return { distance: null, usual: createCourse(), recent: createCourse() };
}

function createCourse(): Course {
  return { bursts: 0, shares: RANGES.map(() => ({ hits: 0, looks: 0 })) };
}

/** Failures among looks at the distance of the next one; null: that is in no burst. */
function shareAt({ shares }: Course, distance: number | null): Share | null {
  const range = distance === null || distance === 1 ? -1 : RANGES.findIndex((largest) => distance <= largest);
  return shares[range] ?? null;
}

/** Whether the next look comes soon after a failure. */
export function isInBurst(bursts: Bursts | null): boolean {
  return bursts !== null && bursts.distance !== null;
}

/** The usual share of failures in the next look; 0: it is in no burst, or too few bursts are known. */
export function shareInBurst(bursts: Bursts | null): number {
  if (bursts === null) {
    return 0;
  }
  const { distance, usual } = bursts;
  const share = shareAt(usual, distance);
  return share === null || usual.bursts < LEAST_BURSTS ? 0 : share.hits / (share.looks + PRIOR_LOOKS);
}

/**
 * Adds a look.
 *
 * @param isQuiet nothing points to a fault, so what was recent is usual
 */
export function countInBursts(bursts: Bursts, isFailure: boolean, isQuiet: boolean): void {
  const { distance, recent } = bursts;
  const share = shareAt(recent, distance);
  if (share !== null) {
    share.hits += isFailure ? 1 : 0;
    share.looks += 1;
  }
  if (isFailure) {
    bursts.distance = 1;
  } else if (distance !== null) {
    const hasEnded = distance === RANGES.at(-1);
    bursts.distance = hasEnded ? null : distance + 1;
    recent.bursts += hasEnded ? 1 : 0;
  }
  if (isQuiet && bursts.distance === null && recent.bursts > 0) {
    learnRecent(bursts);
  }
}

function learnRecent({ usual, recent }: Bursts): void {
  usual.bursts += recent.bursts;
  for (const [range, share] of usual.shares.entries()) {
    const { hits, looks } = recent.shares[range] ?? { hits: 0, looks: 0 };
    const weight = Math.min(1, (COUNTED * recent.bursts) / looks);
    share.hits += weight * hits;
    share.looks += weight * looks;
    halveBeyond(share, MOST_NEXT);
  }
  forgetRecent(recent);
}

/** Halves old counts. */
export function halveBeyond(share: Share, most: number): void {
  while (share.looks > most) {
    share.hits /= 2;
    share.looks /= 2;
  }
}

/** Drops what was recent: it belongs to a fault. */
export function forgetBursts(bursts: Bursts): void {
  bursts.distance = null;
  forgetRecent(bursts.recent);
}

function forgetRecent(recent: Course): void {
  recent.bursts = 0;
  for (const share of recent.shares) {
    share.hits = 0;
    share.looks = 0;
  }
}
