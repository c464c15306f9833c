/**
 * A sequential test of one kind of mark: does it happen more often than its baseline? Each look adds the log-likelihood
 * ratio of a fault against the baseline, and a sum below zero becomes zero (a CUSUM, Page 1954). It has no window, and
 * it may be read at any time: a false alarm takes about exp(threshold) looks.
 *
 * Marks come in bursts even without a fault, so a look after a mark has a baseline of its own, for each kind of mark:
 * failures in bursts say nothing about how slow requests come.
 */
export interface Stream {
  /** Baseline after a look without a mark, and after one with a mark of each kind. */
  readonly first: Share;
  readonly next: Record<string, Following>;
  /** Looks that are not baseline yet. They are added to it by a look without a mark, unless the stream is open. */
  readonly openFirst: Share;
  openNext: Record<string, Following>;
  /** Kind of the mark of the last look; null: it had none. */
  last: string | null;
  /** CUSUM sums, one for each of `faultShares`. */
  readonly sums: number[];
  /** When the present episode began: the first mark since the sums were zero. null: there is none. */
  since: number | null;
  /** Marks and looks since then. */
  sinceHits: number;
  sinceLooks: number;
  /** A fault was found, and its end was not. */
  isOpen: boolean;
  openedAt: number;
  /** Log-likelihood ratio that an open fault is over. */
  over: number;
  lastHitAt: number;
  /** Lower bound of the baseline: what people taught to be no problem. 0: nothing. */
  readonly allowed: number;
}

/** Marks among looks, fading. */
export interface Share {
  hits: number;
  looks: number;
}

/** Marks of the same kind and of other kinds among the looks after a mark, fading. */
export interface Following {
  same: number;
  other: number;
  looks: number;
}

/** Baseline of all streams of one kind, since a single stream may have few looks. */
export interface Pool {
  readonly first: Share;
  readonly next: Following;
}

/** Initial baseline of a pool. */
const PRIOR = { hits: 0.4, looks: 100 };
const PRIOR_NEXT = { same: 0.9, other: 0.9, looks: 6 };
/** How much the pool weighs in a stream, in looks. */
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
/** A stream that is open for longer learns again: its rate becomes the baseline. */
const NEW_USUAL_MS = 30 * 60_000;
/** Upper bound of the sums. */
export const MOST_SUM = 60;

export function createStream(allowed = 0): Stream {
  return {
    first: { hits: 0, looks: 0 },
    next: {},
    openFirst: { hits: 0, looks: 0 },
    openNext: {},
    last: null,
    sums: [0, 0, 0, 0],
    since: null,
    sinceHits: 0,
    sinceLooks: 0,
    isOpen: false,
    openedAt: 0,
    over: 0,
    lastHitAt: Number.NEGATIVE_INFINITY,
    allowed,
  };
}

export function createPool(): Pool {
  return { first: { ...PRIOR }, next: { ...PRIOR_NEXT } };
}

/** Baseline share of marks in looks that do not follow a mark. */
export function usualShare({ first, allowed }: Pick<Stream, 'first' | 'allowed'>, pool: Pool): number {
  const pooled = Math.max(LEAST_POOLED, (POOL_FIRST * pool.first.hits) / pool.first.looks);
  return Math.min(0.9, Math.max(allowed, (first.hits + pooled) / (first.looks + POOL_FIRST)));
}

/** Baseline probability of what a look finds; of a look without a mark, that it had one. */
function expectedShare(stream: Stream, pool: Pool, found: string | null, usual: number): number {
  const { last, next } = stream;
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

const NOTHING_FOLLOWED: Following = { same: 0, other: 0, looks: 0 };

/** Shares of marks that are tested as a fault: nearly all, half of them, some, and few. */
function faultShares(usual: number): readonly number[] {
  return [
    Math.max(0.9, usual + 0.05),
    Math.max(0.5, 1.5 * usual),
    Math.max(6 * usual, usual + 0.12),
    Math.max(3 * usual, usual + 0.03),
  ].map((share) => Math.min(0.98, share));
}

/** A fault that differs by less from what is usual cannot be told from it. */
const NEARLY = 0.05;
/** Marks that are expected with a higher probability are learnt at once. */
const MOSTLY = 0.8;

/**
 * Adds one look. Looks come in order of time.
 *
 * @param found kind of its mark; null: it has none
 */
export function look(stream: Stream, found: string | null, at: number, pool: Pool): void {
  const isHit = found !== null;
  const usual = usualShare(stream, pool);
  const expected = expectedShare(stream, pool, found, usual);
  if (isHit) {
    stream.lastHitAt = Math.max(stream.lastHitAt, at);
    stream.since ??= at;
  }
  if (stream.since !== null) {
    stream.sinceHits += isHit ? 1 : 0;
    stream.sinceLooks += 1;
  }
  for (const [index, share] of faultShares(usual).entries()) {
    const gain = share > expected + NEARLY ? Math.log(share / expected) : 0;
    const step = isHit ? gain : Math.log((1 - share) / (1 - expected));
    stream.sums[index] = Math.min(MOST_SUM, Math.max(0, (stream.sums[index] ?? 0) + step));
  }
  if (stream.isOpen) {
    lookForEnd(stream, isHit, usual);
  }
  learn(stream, found, at, pool, expected);
  stream.last = found;
}

/** Adds looks without a mark. */
export function lookWell(stream: Stream, looks: number, at: number, pool: Pool): void {
  if (looks <= 0) {
    return;
  }
  look(stream, null, at, pool);
  const rest = looks - 1;
  if (rest === 0) {
    return;
  }
  if (stream.since !== null || stream.isOpen) {
    for (let index = 0; index < Math.min(rest, MOST_SINGLE); index += 1) {
      look(stream, null, at, pool);
    }
  } else {
    stream.first.looks += rest;
    pool.first.looks += rest;
    fade(stream, pool);
  }
}

/** This many looks without a mark end any episode, so further ones are not tested. */
const MOST_SINGLE = 2_000;

export function strongest({ sums }: Stream): number {
  return Math.max(...sums);
}

function learn(stream: Stream, found: string | null, at: number, pool: Pool, expected: number): void {
  if (stream.isOpen && at - stream.openedAt < NEW_USUAL_MS) {
    return;
  }
  countLook(stream, found);
  const hasEnded = stream.sums.every((sum) => sum === 0);
  // A run that goes on may be a fault that has just begun.
  if (found === null || expected > MOSTLY) {
    addToBaseline(stream, pool);
  }
  if (hasEnded && !stream.isOpen) {
    stream.since = null;
    stream.sinceHits = 0;
    stream.sinceLooks = 0;
  }
}

function countLook({ last, openFirst, openNext }: Stream, found: string | null): void {
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

function addToBaseline(stream: Stream, pool: Pool): void {
  const { first, next, openFirst, openNext } = stream;
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
  forgetEpisode(stream);
  fade(stream, pool);
}

function fade(stream: Stream, pool: Pool): void {
  halveBeyond(stream.first, MOST_LOOKS);
  halveBeyond(pool.first, MOST_POOLED);
  for (const following of [...Object.values(stream.next), pool.next]) {
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

/** Adds the log-likelihood ratio of the baseline against the fault: a CUSUM for the end of an open fault. */
function lookForEnd(stream: Stream, isHit: boolean, usual: number): void {
  const share = Math.min(0.95, Math.max(usual + 0.02, (stream.sinceHits + 0.5) / (stream.sinceLooks + 1)));
  const step = isHit ? Math.log(usual / share) : Math.log((1 - usual) / (1 - share));
  stream.over = Math.max(0, stream.over + step);
}

/** Lower bound of the threshold for an end: odds of 150 to 1. */
const LEAST_OVER = 5;

/** @param looks number of looks in which one false end is accepted */
export function isOver({ over }: Stream, looks: number): boolean {
  return over >= Math.max(LEAST_OVER, Math.log(looks));
}

/** Looks of a longer episode stay in the baseline when it opens. */
const SHORT_LOOKS = 100;

export function openStream(stream: Stream, at: number): void {
  if (stream.sinceLooks <= SHORT_LOOKS) {
    // The looks that opened it may have been learnt as baseline.
    stream.first.hits = Math.max(0, stream.first.hits - stream.sinceHits);
    stream.first.looks = Math.max(0, stream.first.looks - stream.sinceLooks);
  }
  stream.isOpen = true;
  stream.openedAt = at;
  stream.over = 0;
  forgetEpisode(stream);
}

/** Resets the test. The baseline stays. */
export function endStream(stream: Stream): void {
  stream.isOpen = false;
  stream.over = 0;
  stream.sums.fill(0);
  stream.since = null;
  stream.sinceHits = 0;
  stream.sinceLooks = 0;
  forgetEpisode(stream);
}

/** Drops the looks that are not baseline yet. */
export function forgetEpisode(stream: Stream): void {
  stream.openFirst.hits = 0;
  stream.openFirst.looks = 0;
  stream.openNext = {};
}
