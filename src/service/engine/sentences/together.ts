import type { Evidence, Lost, PathStep } from '../../core/telemetry-item.ts';
import type { Member } from '../grouping/incident.ts';
import { worthOf } from '../ranking/weights.ts';

/** What one sender has found no more for this long may be another failure than what others find now. */
const SAME_MS = 60_000;

/**
 * Members without their senders: what several of them report about one failure, each with a key of its own, is one finding with the
 * counts of all. Alerts stay apart.
 */
export function together(members: Iterable<Member>): Member[] {
  return [...Map.groupBy(members, aboutOf).values()].flatMap((alike) => {
    const [first, ...others] = alike.toSorted(
      (a, b) => worthOf(b.evidence) - worthOf(a.evidence) || a.firstAt - b.firstAt,
    );
    return first === undefined ? [] : [others.reduce(add, first)];
  });
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
  const isAlso = Math.abs(one.evidence.at - other.evidence.at) <= SAME_MS;
  return {
    ...one,
    evidence: isAlso ? addEvidence(one.evidence, other.evidence) : one.evidence,
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
