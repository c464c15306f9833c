import type { Evidence } from '../core/evidence.ts';
import type { Family } from '../core/telemetry-item.ts';

/** Error lines. */
export const LINES: ReadonlySet<Family> = new Set(['new_error_log', 'error_log']);

/** An alert that its sender rates lower is information: it opens no incident by itself. */
export const LEAST_ALERT = 0.5;

/** Families of evidence from accounts. Each request is blamed on one place, so it is no evidence against another. */
export const ACCOUNTED: ReadonlySet<Family> = new Set(['harmed_requests', 'tolerated_failures', 'lost_time']);

/** Whether it has reached its threshold, so that it is beyond chance. */
export function isSignificant({ significance, strength }: Evidence): boolean {
  return (significance ?? strength) >= 1;
}

/** Whether people certainly lost requests. */
export function isHarm(evidence: Evidence): boolean {
  return evidence.family === 'harmed_requests' && isSignificant(evidence);
}

/** The service from which all of the requests were lost on the way, so that it may be the cause; null: there is none. */
export function lostOnTheWayFrom({ lost }: Evidence): string | null {
  const caller = lost?.kind === 'way' && lost.lostAt === undefined ? lost.path[1] : undefined;
  return caller !== undefined && lost !== undefined && caller.requests >= lost.requests ? caller.service : null;
}

/** The services that evidence is about: a call has two ends. */
export function servicesOf({ service, peer, family }: Evidence): readonly string[] {
  if (ACCOUNTED.has(family)) {
    return [service];
  }
  return peer === null || peer === service ? [service] : [service, peer];
}

/** When the failure behind evidence last happened. It may be over and still inside the sliding window. */
export function seenAt(evidence: Evidence): number {
  return evidence.seenAt ?? evidence.at;
}

/** Until when evidence that is taken at a time shows that its failure lasts. */
export function lastsUntil({ lastsMs = 0 }: Evidence, at: number): number {
  return at + lastsMs;
}

/** Families that count against the callee when they are about a call: its caller only measured it. */
const OF_CALLEE: ReadonlySet<Family> = new Set(['failed_calls', 'failure_metric', 'latency_metric']);

/** The services that evidence counts against: a failing or slow call says nothing about its caller. */
export function blamed(evidence: Evidence): readonly string[] {
  const { family, peer } = evidence;
  return OF_CALLEE.has(family) && peer !== null ? [peer] : servicesOf(evidence);
}
