import { MINUTE_MS } from '../constants.ts';
import { TESTED, type Tested } from '../requests/judge-request.ts';
import { type Account, type Accounts, endEpisode, poolOf } from './accounts.ts';
import { type Pool, usualShare } from './baseline.ts';
import {
  BEYOND_PAUSES,
  FALSE_ALARM_MS,
  FALSE_END_MS,
  FORGOTTEN_MS,
  HARMLESS,
  LEAST_REQUESTS,
  LEAST_TELLING,
  LEAST_THRESHOLD,
  LITTLE,
  MOST_SUM,
  NEVER_WELL,
  TRIALS,
} from './constants.ts';
import type { Episode } from './episode.ts';
import { areFewerThanUsual, isSampledMore } from './request-rate.ts';
import { isOver, openStream, type Stream, strongest, takeForUsual } from './stream.ts';

/**
 * The CUSUM threshold. A false alarm comes once in about exp(threshold) looks, so a place with more requests needs a higher one.
 */
export function thresholdOf(account: Account): number {
  return Math.max(LEAST_THRESHOLD, Math.log(looksIn(FALSE_ALARM_MS, account)) + TRIALS);
}

function looksIn(ms: number, { requests, firstAt, lastAt }: Account): number {
  return (ms * requests) / Math.max(lastAt - firstAt, MINUTE_MS);
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
  /** The fault was found to be over in the slot in which it lost the last requests, see `endLast`. */
  readonly isLast: boolean;
  readonly episode: Episode;
}

export function isTelling({ significance, episode }: Verdict): boolean {
  return significance >= LEAST_TELLING && episode.requests >= LEAST_REQUESTS;
}

/** Opens and closes streams. @param from begin of the slot. @returns a verdict for each present episode */
export function judgeAccounts({ byKey, active, pools }: Accounts, from: number, at: number): Verdict[] {
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
      if (episode !== undefined && (stream.since !== null || kind === 'harmed')) {
        const verdict = judge(account, kind, episode, poolOf(account, pools, kind), { from, at });
        if (verdict !== null) {
          verdicts.push(verdict);
        }
      }
    }
  }
  return verdicts;
}

function hasEnded(account: Account, stream: Stream, at: number): boolean {
  const { since, lastHitAt, sinceHits, over } = stream;
  const silentMs = at - lastHitAt;
  const pauseMs = (lastHitAt - (since ?? lastHitAt)) / Math.max(1, sinceHits - 1);
  return (
    isOver(stream, looksIn(FALSE_END_MS, account)) ||
    (silentMs > Math.max(MINUTE_MS, BEYOND_PAUSES * pauseMs) && over >= LITTLE) ||
    silentMs > FORGOTTEN_MS
  );
}

/** Ends the episodes whose last verdict this was, once it is told what they lost. */
export function endLast(verdicts: readonly Verdict[]): void {
  for (const { account, kind, isLast } of verdicts) {
    if (isLast) {
      endEpisode(account, kind);
    }
  }
}

/** Whether a sampler has begun to drop good requests. */
function isResampled({ pace }: Account, stream: Stream, pool: Pool, at: number): boolean {
  const { since, sinceLooks: looks, sinceHits: hits } = stream;
  return since !== null && isSampledMore(pace, usualShare(stream, pool), { sinceMs: at - since, looks, hits });
}

/** The strongest sum of all instances, corrected for the number of tests. */
function strongestInstance({ instances }: Account): number {
  let most = 0;
  for (const stream of instances.values()) {
    most = Math.max(most, strongest(stream) - Math.log(instances.size));
  }
  return most;
}

/** Whether rejections replace answers. Those of scanners and broken clients come in addition to the usual answers. */
function takePlaceOfAnswers({ servedPace, streams: { rejected } }: Account, at: number): boolean {
  const { since, sinceLooks, sinceHits } = rejected;
  return since !== null && areFewerThanUsual(servedPace, at - since, sinceLooks - sinceHits);
}

function judge(
  account: Account,
  kind: Tested,
  episode: Episode,
  pool: Pool,
  { from, at }: { readonly from: number; readonly at: number },
): Verdict | null {
  const stream = account.streams[kind];
  const threshold = thresholdOf(account) + (kind === 'harmed' ? 0 : HARMLESS);
  const sum = Math.max(strongest(stream), kind === 'harmed' ? strongestInstance(account) : 0);
  const isLast = stream.isOpen && hasEnded(account, stream, at);
  if (isLast && episode.lastAt < from) {
    endEpisode(account, kind);
    return null;
  }
  if (!stream.isOpen && sum >= threshold && isResampled(account, stream, pool, at)) {
    if (at - episode.since > FORGOTTEN_MS) {
      takeForUsual(stream);
      account.episodes.delete(kind);
    }
    return null;
  }
  if (kind === 'rejected' && !stream.isOpen && !takePlaceOfAnswers(account, at)) {
    return null;
  }
  const isNeverWell =
    account.taught === null &&
    kind === 'harmed' &&
    account.requests <= 10 * NEVER_WELL &&
    episode.requests >= NEVER_WELL &&
    account.wentWell === 0;
  if (!stream.isOpen && (sum >= threshold || isNeverWell)) {
    if (stream.since === null) {
      // Only one instance shows it.
      stream.since = episode.since;
      stream.sinceHits = episode.requests;
      stream.sinceLooks = episode.total;
    }
    openStream(stream, at);
  }
  const significance = Math.min(MOST_SUM / LEAST_THRESHOLD, sum / threshold);
  return {
    account,
    kind,
    significance: stream.isOpen ? Math.max(1, significance) : significance,
    weight: likelihoodOf(episode, usualShare(stream, pool)) / threshold,
    isOpen: stream.isOpen,
    isLast,
    episode,
  };
}
