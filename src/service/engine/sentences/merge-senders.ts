import type { Evidence } from '../../core/evidence.ts';
import type { Lost, PathStep } from '../../core/telemetry-item.ts';
import { MINUTE_MS } from '../constants.ts';
import type { Member } from '../grouping/incident.ts';
import { worthOf } from '../ranking/weights.ts';

/**
 * Merges what several senders report about one failure, each with a key of its own, into one finding with the counts of all.
 * Alerts are not merged.
 */
export function mergeSenders(members: Iterable<Member>): Member[] {
  return [...Map.groupBy(members, aboutOf).values()].flatMap((alike) => {
    const [first, ...others] = presentOf(alike).toSorted(byRank);
    return first === undefined ? [] : [others.reduce(add, first)];
  });
}

/**
 * Leaves out members whose losses belong to an earlier failure. A key that continues where another ended, as when it is replaced,
 * reports the same failure.
 */
function presentOf(alike: readonly Member[]): Member[] {
  const newestFirst = alike.toSorted((a, b) => b.seenAt - a.seenAt);
  const present: Member[] = [];
  let since = newestFirst[0]?.seenAt ?? 0;
  for (const member of newestFirst) {
    const { evidence, seenAt, firstAt } = member;
    if (evidence.lost === undefined || seenAt >= since - MINUTE_MS) {
      present.push(member);
      since = Math.min(since, evidence.since ?? firstAt);
    }
  }
  return present;
}

/** The first one gives the merged finding its fingerprint: of lost requests the oldest, so that it stays; of others the strongest. */
function byRank(one: Member, other: Member): number {
  const stronger = one.evidence.lost === undefined ? worthOf(other.evidence) - worthOf(one.evidence) : 0;
  return stronger || one.firstAt - other.firstAt;
}

function aboutOf({ evidence }: Member): string {
  const { origin, fingerprint, family, service, instance, peer, subject, lost } = evidence;
  if (origin === 'alert') {
    return fingerprint;
  }
  // Not the subject of lost requests: the operation that lost most of them may differ between senders.
  const about = lost === undefined ? [subject] : [lost.kind, lost.lostAt, evidence.beyond?.incident];
  return JSON.stringify([origin, family, service, instance, peer, ...about]);
}

function add(one: Member, other: Member): Member {
  return {
    ...one,
    evidence: addEvidence(one.evidence, other.evidence),
    firstAt: Math.min(one.firstAt, other.firstAt),
    lastAt: Math.max(one.lastAt, other.lastAt),
    seenAt: Math.max(one.seenAt, other.seenAt),
    times: one.times + other.times,
  };
}

function addEvidence(one: Evidence, other: Evidence): Evidence {
  if (one.lost !== undefined && other.lost !== undefined) {
    const since = Math.min(one.since ?? one.at, other.since ?? other.at);
    return { ...one, since, at: Math.max(one.at, other.at), lost: addLost(one.lost, other.lost) };
  }
  if (one.family !== 'failed_calls') {
    return one;
  }
  const count = one.count + other.count;
  return { ...one, count, now: (one.now * one.count + other.now * other.count) / Math.max(count, 1) };
}

function addLost(one: Lost, other: Lost): Lost {
  const requests = one.requests + other.requests;
  return {
    ...one,
    requests,
    total: one.total + other.total,
    failed: one.failed + other.failed,
    extraMs: (one.extraMs * one.requests + other.extraMs * other.requests) / Math.max(requests, 1),
    perMinute: one.perMinute + other.perMinute,
    path: addPath(one.path, other.path),
  };
}

/** Paths over other services are not added: that of `one` stays. */
function addPath(one: readonly PathStep[], other: readonly PathStep[]): readonly PathStep[] {
  const isSame = one.length === other.length && one.every(({ service }, index) => service === other[index]?.service);
  return isSame
    ? one.map((step, index) => ({ ...step, requests: step.requests + (other[index]?.requests ?? 0) }))
    : one;
}
