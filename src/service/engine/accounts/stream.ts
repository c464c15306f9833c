/**
 * A sequential test of one kind of mark: does it happen more often than usual? Each look adds the logarithm of how much
 * likelier it is under a fault than in usual time, and nothing below zero is kept (a CUSUM, Page 1954). It has no
 * window and no limit on how often it is asked: a false alarm needs exp(threshold) looks.
 *
 * Usual marks come in twos and threes: what follows a mark is compared with what usually follows one.
 */
export interface Stream {
  /** What is usual after a look without a mark, and after one with a mark. */
  readonly first: Share;
  readonly next: Share;
  /** The same of the present episode: it becomes usual when it comes to nothing. */
  readonly openFirst: Share;
  readonly openNext: Share;
  wasHit: boolean;
  /** One for each size of fault that is looked for. */
  readonly sums: number[];
  /** When the present episode began: the first mark since the sums were zero. null: there is none. */
  since: number | null;
  /** Marks and looks since then. */
  sinceHits: number;
  sinceLooks: number;
  /** It said that something is wrong and has not said that it is over. */
  isOpen: boolean;
  openedAt: number;
  /** How much likelier it is that an open one is over than that it goes on, as a logarithm. */
  over: number;
  lastHitAt: number;
}

/** Marks among looks, fading. */
export interface Share {
  hits: number;
  looks: number;
}

/** What is usual in all streams of one kind: a stream alone has seen too little. */
export interface Pool {
  readonly first: Share;
  readonly next: Share;
}

/** What is assumed before anything is known. */
const PRIOR = { hits: 0.4, looks: 100 };
const PRIOR_NEXT = { hits: 0.9, looks: 6 };
/** How much the pool weighs in a stream, in looks. */
const POOL_FIRST = 100;
const POOL_NEXT = 4;
/** In marks. However rare marks are elsewhere, a place that had none in n looks may have one in 20n. */
const LEAST_POOLED = 0.05;
/** Looks are halved beyond it: a place changes. */
const MOST_LOOKS = 6_000;
const MOST_NEXT = 300;
const MOST_POOLED = 20_000;
/** Odd for longer is the new usual. */
const NEW_USUAL_MS = 30 * 60_000;
/** Sums end here: more adds nothing. */
export const MOST_SUM = 60;

export function createStream(): Stream {
  return {
    first: { hits: 0, looks: 0 },
    next: { hits: 0, looks: 0 },
    openFirst: { hits: 0, looks: 0 },
    openNext: { hits: 0, looks: 0 },
    wasHit: false,
    sums: [0, 0, 0],
    since: null,
    sinceHits: 0,
    sinceLooks: 0,
    isOpen: false,
    openedAt: 0,
    over: 0,
    lastHitAt: Number.NEGATIVE_INFINITY,
  };
}

export function createPool(): Pool {
  return { first: { ...PRIOR }, next: { ...PRIOR_NEXT } };
}

/** The usual share of marks, unless one came right before. */
export function usualShare({ first }: Pick<Stream, 'first'>, pool: Pool): number {
  const pooled = Math.max(LEAST_POOLED, (POOL_FIRST * pool.first.hits) / pool.first.looks);
  return Math.min(0.9, (first.hits + pooled) / (first.looks + POOL_FIRST));
}

function usualNext({ next }: Stream, pool: Pool, usual: number): number {
  const own = (next.hits + (POOL_NEXT * pool.next.hits) / pool.next.looks) / (next.looks + POOL_NEXT);
  return Math.min(0.99, Math.max(own, usual));
}

/** Shares that a fault may have: all, some, and few. */
function faultShares(usual: number): readonly number[] {
  return [Math.max(0.9, usual + 0.05), Math.max(6 * usual, usual + 0.12), Math.max(3 * usual, usual + 0.03)].map(
    (share) => Math.min(0.98, share),
  );
}

/** A fault that differs by less from what is usual cannot be told from it. */
const NEARLY = 0.05;
/** What nearly always comes is usual however long it goes on. */
const MOSTLY = 0.8;

/** Takes one look, in order of time. */
export function look(stream: Stream, isHit: boolean, at: number, pool: Pool): void {
  const usual = usualShare(stream, pool);
  const expected = stream.wasHit ? usualNext(stream, pool, usual) : usual;
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
  learn(stream, isHit, at, pool, expected);
  stream.wasHit = isHit;
}

/** Takes looks without a mark. */
export function lookWell(stream: Stream, looks: number, at: number, pool: Pool): void {
  if (looks <= 0) {
    return;
  }
  look(stream, false, at, pool);
  const rest = looks - 1;
  if (rest === 0) {
    return;
  }
  if (stream.since !== null || stream.isOpen) {
    for (let index = 0; index < Math.min(rest, MOST_SINGLE); index += 1) {
      look(stream, false, at, pool);
    }
  } else {
    stream.first.looks += rest;
    pool.first.looks += rest;
    fade(stream, pool);
  }
}

/** More looks without a mark than these end any episode. */
const MOST_SINGLE = 2_000;

export function strongest({ sums }: Stream): number {
  return Math.max(...sums);
}

function learn(stream: Stream, isHit: boolean, at: number, pool: Pool, expected: number): void {
  if (stream.isOpen && at - stream.openedAt < NEW_USUAL_MS) {
    return;
  }
  count(stream.wasHit ? stream.openNext : stream.openFirst, isHit);
  const hasEnded = stream.sums.every((sum) => sum === 0);
  // A run that goes on may be a fault that has just begun.
  if (!isHit || expected > MOSTLY) {
    keep(stream, pool);
  }
  if (hasEnded && !stream.isOpen) {
    stream.since = null;
    stream.sinceHits = 0;
    stream.sinceLooks = 0;
  }
}

function count(share: Share, isHit: boolean): void {
  share.hits += isHit ? 1 : 0;
  share.looks += 1;
}

function keep(stream: Stream, pool: Pool): void {
  move(stream.openFirst, [stream.first, pool.first]);
  move(stream.openNext, [stream.next, pool.next]);
  fade(stream, pool);
}

function move(from: Share, to: readonly Share[]): void {
  for (const share of to) {
    share.hits += from.hits;
    share.looks += from.looks;
  }
  from.hits = 0;
  from.looks = 0;
}

function fade(stream: Stream, pool: Pool): void {
  halveBeyond(stream.first, MOST_LOOKS);
  halveBeyond(stream.next, MOST_NEXT);
  halveBeyond(pool.first, MOST_POOLED);
  halveBeyond(pool.next, MOST_NEXT);
}

function halveBeyond(share: Share, most: number): void {
  while (share.looks > most) {
    share.hits /= 2;
    share.looks /= 2;
  }
}

/** Sums of log likelihoods that usual time explains the last looks, and the fault no longer does. */
function lookForEnd(stream: Stream, isHit: boolean, usual: number): void {
  const share = Math.min(0.95, Math.max(usual + 0.02, (stream.sinceHits + 0.5) / (stream.sinceLooks + 1)));
  const step = isHit ? Math.log(usual / share) : Math.log((1 - usual) / (1 - share));
  stream.over = Math.max(0, stream.over + step);
}

/** The odds that it goes on: 1 in 150. */
const LEAST_OVER = 5;

/** @param looks of so many only one may end a fault that goes on */
export function isOver({ over }: Stream, looks: number): boolean {
  return over >= Math.max(LEAST_OVER, Math.log(looks));
}

/** A longer episode was mostly usual. */
const SHORT_LOOKS = 100;

export function openStream(stream: Stream, at: number): void {
  if (stream.sinceLooks <= SHORT_LOOKS) {
    // What made it open was learnt on the way.
    stream.first.hits = Math.max(0, stream.first.hits - stream.sinceHits);
    stream.first.looks = Math.max(0, stream.first.looks - stream.sinceLooks);
  }
  stream.isOpen = true;
  stream.openedAt = at;
  stream.over = 0;
  forgetEpisode(stream);
}

/** Begins anew; what is usual stays. */
export function endStream(stream: Stream): void {
  stream.isOpen = false;
  stream.over = 0;
  stream.sums.fill(0);
  stream.since = null;
  stream.sinceHits = 0;
  stream.sinceLooks = 0;
  forgetEpisode(stream);
}

function forgetEpisode({ openFirst, openNext }: Stream): void {
  for (const share of [openFirst, openNext]) {
    share.hits = 0;
    share.looks = 0;
  }
}
