import type { Evidence } from '../../core/evidence.ts';
import type { LostSoFar } from '../../core/known-incident.ts';
import { setBounded } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { isSignificant } from '../evidence.ts';

/**
 * What incidents lost. Accounts report again and again how many requests a place has lost since its fault began. Each
 * request counts for the incident that had the account when it was reported, and for no other, whatever is merged, split
 * or opened later. So the counts of an incident never fall, and those of all incidents add up to what was lost.
 */

/** The last report of each account. */
export type Counted = Map<string, Reported>;

interface Reported extends LostSoFar {
  readonly at: number;
  /** The onset of a certain fault stays, so that another one is that of the next episode. */
  readonly isCertain: boolean;
}

/** Adds to what an incident lost what evidence reports and no incident has counted. @param before null: nothing so far */
export function countLost(counted: Counted, before: LostSoFar | null, evidence: Evidence): LostSoFar | null {
  const { lost, family, at, since = at } = evidence;
  if (lost === undefined || family !== 'harmed_requests') {
    return before;
  }
  const account = accountOf(evidence);
  const last = counted.get(account);
  const isNext = last === undefined || (last.isCertain && since !== last.since);
  const from = isNext ? { requests: 0, total: 0, failed: 0, at: since } : last;
  const { requests, failed } = lost;
  const total = Math.max(lost.total, requests);
  setBounded(
    counted,
    account,
    { requests, total, failed, since, at, isCertain: isSignificant(evidence) },
    LIMITS.entries,
  );
  const more = Math.max(0, requests - from.requests);
  const part = {
    requests: more,
    total: Math.max(more, total - from.total),
    failed: Math.min(more, Math.max(0, failed - from.failed)),
    since: from.at,
  };
  return more === 0 && before === null ? null : addLost(before, part);
}

/** Both together, each request once. */
export function addLost(one: LostSoFar | null, other: LostSoFar | null): LostSoFar | null {
  if (one === null || other === null) {
    return one ?? other;
  }
  return {
    requests: one.requests + other.requests,
    total: one.total + other.total,
    failed: one.failed + other.failed,
    since: Math.min(one.since, other.since),
  };
}

/** What is left once a part is an incident of its own again. */
export function takeLost(whole: LostSoFar | null, part: LostSoFar | null): LostSoFar | null {
  return whole === null || part === null
    ? whole
    : {
        ...whole,
        requests: Math.max(0, whole.requests - part.requests),
        total: Math.max(0, whole.total - part.total),
        failed: Math.max(0, whole.failed - part.failed),
      };
}

/** The same whichever service explains what the account lost. */
function accountOf({ service, sender, lost, beyond }: Evidence): string {
  return JSON.stringify([lost?.lostAt ?? service, sender, beyond?.incident ?? null]);
}
