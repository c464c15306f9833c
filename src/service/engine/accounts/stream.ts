import { GAP_MS, NEW_USUAL_MS } from '../constants.ts';
import {
  addToBaseline,
  type Baseline,
  countLook,
  createBaseline,
  expectedShare,
  fade,
  forgetEpisode,
  type Pool,
  usualShare,
} from './baseline.ts';
import { LEAST_OVER, LEAST_TAKEN, MOST_SINGLE, MOST_SUM, NEARLY } from './constants.ts';

/**
 * A sequential test of one kind of mark: does it happen more often than its baseline? Each look adds the log-likelihood
 * ratio of a fault against the baseline, and a sum below zero becomes zero (a CUSUM, Page 1954). It has no window, and
 * it may be read at any time: a false alarm takes about exp(threshold) looks.
 */
export interface Stream extends Baseline {
  /** CUSUM sums, one for each of `faultShares`. */
  readonly sums: number[];
  /** When the present episode began: the first mark since the sums were zero. null: there is none. */
  since: number | null;
  /** Marks and looks since then. */
  sinceHits: number;
  sinceLooks: number;
  /** A fault was found, and its end was not. */
  isOpen: boolean;
  /** Index of the sum that found it. */
  openedBy: number;
  openedAt: number;
  /** Log-likelihood ratio that an open fault is over. */
  over: number;
  lastHitAt: number;
}

export function createStream(allowed = 0): Stream {
  return {
    ...createBaseline(allowed),
    sums: [0, 0, 0, 0],
    since: null,
    sinceHits: 0,
    sinceLooks: 0,
    isOpen: false,
    openedBy: 0,
    openedAt: 0,
    over: 0,
    lastHitAt: Number.NEGATIVE_INFINITY,
  };
}

/** Shares of marks that are tested as a fault: nearly all, half of them, some, and few. */
function faultShares(usual: number): readonly number[] {
  return [
    Math.max(0.9, usual + 0.05),
    Math.max(0.5, 1.5 * usual),
    Math.max(6 * usual, usual + 0.12),
    Math.max(3 * usual, usual + 0.03),
  ].map((share) => Math.min(0.98, share));
}

/**
 * Adds one look. Looks come in about the order of time: requests of senders that report late are judged later. A look without a
 * mark from before the present episode is baseline, but says nothing about the episode.
 *
 * @param found kind of its mark; null: it has none
 * @param isAlike the fault affects requests like this one, so a good one is evidence that it is over
 * @returns indices of the sums that left zero: if there is a fault, it may have begun with this look
 */
export function look(stream: Stream, found: string | null, at: number, pool: Pool, isAlike = true): number[] {
  const isHit = found !== null;
  if (!isHit && (isIdle(stream) || isBefore(stream, at))) {
    learnWell(stream, 1, pool);
    return NONE;
  }
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
  const begun: number[] = [];
  for (const [index, share] of faultShares(usual).entries()) {
    const gain = share > expected + Math.min(NEARLY, share / 2) ? Math.log(share / expected) : 0;
    const step = isHit ? gain : Math.min(0, Math.log((1 - share) / (1 - expected)));
    const before = stream.sums[index] ?? 0;
    stream.sums[index] = Math.min(MOST_SUM, Math.max(0, before + step));
    if (before === 0 && step > 0) {
      begun.push(index);
    }
  }
  if (stream.isOpen && (isHit || isAlike)) {
    lookForEnd(stream, isHit, usual);
  }
  learn(stream, found, at, pool);
  stream.last = found;
  return begun;
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
    learnWell(stream, rest, pool);
  }
}

const NONE: number[] = [];

/** Whether a look without a mark changes only the baseline, because there was no mark for a while. */
function isIdle({ since, isOpen, last }: Stream): boolean {
  return since === null && !isOpen && last === null;
}

/** Whether it is from before the present episode. A clock that is minutes off tells nothing. */
function isBefore({ since }: Stream, at: number): boolean {
  return since !== null && at < since && since - at < GAP_MS;
}

function learnWell(stream: Stream, looks: number, pool: Pool): void {
  stream.first.looks += looks;
  pool.first.looks += looks;
  fade(stream, pool);
}

export function strongest({ sums }: Stream): number {
  return Math.max(...sums);
}

/** Whether nothing points to a fault. */
function isQuiet({ sums }: Stream): boolean {
  return sums.every((sum) => sum === 0);
}

/** Index of the sum that says when the present fault began: the one that found it, or the strongest. */
export function leadingSum({ sums, isOpen, openedBy }: Stream): number {
  return isOpen ? openedBy : sums.indexOf(Math.max(...sums));
}

function learn(stream: Stream, found: string | null, at: number, pool: Pool): void {
  if (stream.isOpen && at - stream.openedAt < NEW_USUAL_MS) {
    return;
  }
  countLook(stream, found);
  // A run that goes on may be a fault that has just begun.
  if (found === null) {
    addToBaseline(stream, pool);
  }
  if (!stream.isOpen && isQuiet(stream)) {
    stream.since = null;
    stream.sinceHits = 0;
    stream.sinceLooks = 0;
  }
}

/** Adds the log-likelihood ratio of the baseline against the fault: a CUSUM for the end of an open fault. */
function lookForEnd(stream: Stream, isHit: boolean, usual: number): void {
  const share = Math.min(0.95, Math.max(usual + 0.02, (stream.sinceHits + 0.5) / (stream.sinceLooks + 1)));
  const step = isHit ? Math.log(usual / share) : Math.log((1 - usual) / (1 - share));
  stream.over = Math.max(0, stream.over + step);
}

/** @param looks number of looks in which one false end is accepted */
export function isOver({ over }: Stream, looks: number): boolean {
  return over >= Math.max(LEAST_OVER, Math.log(looks));
}

export function openStream(stream: Stream, at: number): void {
  stream.openedBy = leadingSum(stream);
  stream.isOpen = true;
  stream.openedAt = at;
  stream.over = 0;
  forgetEpisode(stream);
}

/** Resets the test, with the share of the present episode as the usual one from now on. */
export function takeForUsual(stream: Stream): void {
  const looks = Math.max(LEAST_TAKEN, stream.sinceLooks);
  stream.first.hits = (looks * stream.sinceHits) / Math.max(stream.sinceLooks, 1);
  stream.first.looks = looks;
  endStream(stream);
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
