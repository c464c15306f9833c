import { TESTED, type Tested } from '../requests/judge-request.ts';
import { type Account, type Accounts, poolOf } from './accounts.ts';
import { type Pool, usualShare } from './baseline.ts';
import type { Episode } from './episode.ts';
import { isThinnedOut } from './pace.ts';
import { endStream, isOver, MOST_SUM, openStream, type Stream, strongest, takeForUsual } from './stream.ts';

/** Accepted rate of false alarms: one in this time, for each place. */
const FALSE_ALARM_MS = 2_000 * 3_600_000;
/** A stream tests four sums at once, which raises the threshold. */
const TRIALS = Math.log(4);
const LEAST_THRESHOLD = 12;
/** Added to the threshold of episodes without harm, which can wait for more certainty. */
const HARMLESS = 5;
/** A place whose requests have all failed opens after this many, without a baseline. */
const NEVER_WELL = 3;

/**
 * The CUSUM threshold: exp(threshold) looks go by between two false alarms, so a place with more requests needs a
 * higher one.
 */
export function thresholdOf(account: Account): number {
  return Math.max(LEAST_THRESHOLD, Math.log(looksIn(FALSE_ALARM_MS, account)) + TRIALS);
}

function looksIn(ms: number, { requests, firstAt, lastAt }: Account): number {
  return (ms * requests) / Math.max(lastAt - firstAt, 60_000);
}

/** Log-likelihood ratio of the present share against the baseline share. */
function likelihoodOf({ requests, total }: Episode, usual: number): number {
  const share = Math.min(0.98, (requests + 0.5) / (total + 1));
  if (share <= usual) {
    return 0;
  }
  return requests * Math.log(share / usual) + Math.max(0, total - requests) * Math.log((1 - share) / (1 - usual));
}

/** Result of the test of one kind of mark at the end of a slot. */
export interface Verdict {
  readonly account: Account;
  readonly kind: Tested;
  /** Strongest sum of the test as a share of its threshold, at most `MOST_SUM`; at least 1 while the stream is open. */
  readonly significance: number;
  /** Log-likelihood ratio of all requests of the episode as a share of the threshold, without an upper bound. */
  readonly weight: number;
  readonly isOpen: boolean;
  readonly episode: Episode;
}

/** Lowest significance and number of lost requests of a verdict that may explain or support others. */
const LEAST_SIGNIFICANCE = 0.6;
const LEAST_REQUESTS = 4;

export function isTelling({ significance, episode }: Verdict): boolean {
  return significance >= LEAST_SIGNIFICANCE && episode.requests >= LEAST_REQUESTS;
}

/** Opens and ends streams. @returns a verdict for each present episode */
export function judgeAccounts({ byKey, active, pools }: Accounts, at: number): Verdict[] {
  const verdicts: Verdict[] = [];
  for (const key of [...active].toSorted()) {
    const account = byKey.get(key);
    if (account === undefined || account.episodes.size === 0) {
      active.delete(key);
      continue;
    }
    for (const kind of TESTED) {
      const stream = account.streams[kind];
      const episode = account.episodes.get(kind);
      if (episode !== undefined && stream.since !== null) {
        const verdict = judge(account, kind, episode, poolOf(account, pools, kind), at);
        if (verdict !== null) {
          verdicts.push(verdict);
        }
      }
    }
  }
  return verdicts;
}

/** After `SILENT_MS` without a mark, an open fault needs only `LITTLE` to be over; after `FORGOTTEN_MS`, nothing. */
const SILENT_MS = 60_000;
const FORGOTTEN_MS = 10 * 60_000;
/** Log-likelihood ratio that a few good requests reach. */
const LITTLE = 1.5;
/** Accepted rate of false ends: one in this time, while a fault goes on. */
const FALSE_END_MS = 30 * 60_000;

/** A fault that loses a request now and then is silent for longer: no pause in a hundred is that much longer than the mean. */
const BEYOND_PAUSES = 5;

function hasEnded(account: Account, stream: Stream, at: number): boolean {
  const { since, lastHitAt, sinceHits, over } = stream;
  const silentMs = at - lastHitAt;
  const pauseMs = (lastHitAt - (since ?? lastHitAt)) / Math.max(1, sinceHits - 1);
  return (
    isOver(stream, looksIn(FALSE_END_MS, account)) ||
    (silentMs > Math.max(SILENT_MS, BEYOND_PAUSES * pauseMs) && over >= LITTLE) ||
    silentMs > FORGOTTEN_MS
  );
}

/** After this long, what a sampler leaves out is left out for good. Until then, a fault may show itself. */
const RESAMPLED_MS = 10 * 60_000;

/** Whether a sampler has begun to leave out good requests. */
function isResampled({ pace }: Account, stream: Stream, pool: Pool, at: number): boolean {
  const { since, sinceLooks: looks, sinceHits: hits } = stream;
  return since !== null && isThinnedOut(pace, usualShare(stream, pool), { sinceMs: at - since, looks, hits });
}

function judge(account: Account, kind: Tested, episode: Episode, pool: Pool, at: number): Verdict | null {
  const stream = account.streams[kind];
  const threshold = thresholdOf(account) + (kind === 'harmed' ? 0 : HARMLESS);
  const sum = strongest(stream);
  if (stream.isOpen && hasEnded(account, stream, at)) {
    endStream(stream);
    account.lastBlamed = { place: episode.blamedPlace, at };
    account.episodes.delete(kind);
    return null;
  }
  if (!stream.isOpen && sum >= threshold && isResampled(account, stream, pool, at)) {
    if (at - episode.since > RESAMPLED_MS) {
      takeForUsual(stream);
      account.episodes.delete(kind);
    }
    return null;
  }
  const isNeverWell =
    account.taught === null &&
    kind === 'harmed' &&
    account.requests <= 10 * NEVER_WELL &&
    episode.requests >= NEVER_WELL &&
    account.wentWell === 0;
  if (!stream.isOpen && (sum >= threshold || isNeverWell)) {
    openStream(stream, at);
  }
  const significance = Math.min(MOST_SUM / LEAST_THRESHOLD, sum / threshold);
  return {
    account,
    kind,
    significance: stream.isOpen ? Math.max(1, significance) : significance,
    weight: likelihoodOf(episode, usualShare(stream, pool)) / threshold,
    isOpen: stream.isOpen,
    episode,
  };
}
