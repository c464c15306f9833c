import type { Evidence } from '../../core/evidence.ts';
import type { Lost, PathStep } from '../../core/telemetry-item.ts';
import type { Member } from '../grouping/incident.ts';
import { worthOf } from '../ranking/weights.ts';

/** Requests that were lost so long before the others were lost in another failure. */
const SAME_MS = 60_000;

/**
 * Members without their senders: what several of them report about one failure, each with a key of its own, is one finding with the
 * counts of all. Alerts stay apart.
 */
export function together(members: Iterable<Member>): Member[] {
  return [...Map.groupBy(members, aboutOf).values()].flatMap((alike) => {
    const [first, ...others] = presentOf(alike).toSorted(byRank);
    return first === undefined ? [] : [others.reduce(add, first)];
  });
}

/** Without what was lost in an earlier failure. What one key reports after another, as when it is replaced, is one failure. */
function presentOf(alike: readonly Member[]): Member[] {
  const newestFirst = alike.toSorted((a, b) => b.seenAt - a.seenAt);
  const present: Member[] = [];
  let since = newestFirst[0]?.seenAt ?? 0;
  for (const member of newestFirst) {
    const { evidence, seenAt, firstAt } = member;
    if (evidence.lost === undefined || seenAt >= since - SAME_MS) {
      present.push(member);
      since = Math.min(since, evidence.since ?? firstAt);
    }
  }
  return present;
}

/** Who lost requests first gives them their name as long as they are lost; of other findings, the strongest does. */
function byRank(one: Member, other: Member): number {
  const stronger = one.evidence.lost === undefined ? worthOf(other.evidence) - worthOf(one.evidence) : 0;
  return stronger || one.firstAt - other.firstAt;
}

function aboutOf({ evidence }: Member): string {
  const { origin, fingerprint, family, service, instance, peer, subject, lost } = evidence;
  if (origin === 'alert') {
    return fingerprint;
  }
  // Which operation lost most requests may differ between senders.
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

/** If they came another way, how most of those of the first came. */
function addPath(one: readonly PathStep[], other: readonly PathStep[]): readonly PathStep[] {
  const isSame = one.length === other.length && one.every(({ service }, index) => service === other[index]?.service);
  return isSame
    ? one.map((step, index) => ({ ...step, requests: step.requests + (other[index]?.requests ?? 0) }))
    : one;
}
