import type { Evidence } from '../../core/evidence.ts';
import { HALF } from '../constants.ts';
import { ACCOUNTED, isSignificant, lostOnTheWayFrom, servicesOf } from '../evidence.ts';
import type { Candidate } from '../ranking/rank.ts';
import { LEAST_SCORE, SETTLE_MS } from './constants.ts';
import type { CorrelationEvent, CorrelationState, Moment } from './correlation-state.ts';
import { findByReach, findExplaining } from './find-home.ts';
import { type Incident, isLinked, outlastsRoot } from './incident.ts';
import { incidentsAt, moveEvidence } from './incidents.ts';
import { findFated, sharesFate } from './merge.ts';
import { findOpenings } from './openings.ts';
import { isFresh } from './reach.ts';
import { openIncident } from './root.ts';

/** Moves strong evidence that the root does not explain to the incident that does, or opens one for it. */
export function splitOff(state: CorrelationState, incident: Incident, moment: Moment): CorrelationEvent[] {
  const { at, graph } = moment;
  if (incident.isWhole || (incident.mergedAt !== null && at - incident.mergedAt <= SETTLE_MS)) {
    return [];
  }
  const events: CorrelationEvent[] = [];
  const move = (to: Incident, evidence: readonly Evidence[]) => {
    const fingerprints = evidence.map(({ fingerprint }) => fingerprint);
    moveEvidence(state.live, incident, to, fingerprints);
    state.stale.add(to.number);
    return { type: 'split', at, incident: to, from: incident, fingerprints, isDecided: false } as const;
  };
  const isOther = (other: Incident) => other !== incident && other.closedAt === null;
  const homes = new Map<Evidence, Incident | null>();
  const others = [...findOutlasting(incident), ...findOtherLosses(incident, at)];
  for (const evidence of others) {
    const fated = findFated(state.live, evidence);
    homes.set(evidence, fated !== null && isOther(fated) ? fated : findExplaining(state.live, evidence, at, isOther));
  }
  for (const evidence of findUnreached(state, incident)) {
    const home = findByReach(state.live, evidence, at);
    homes.set(evidence, home !== null && isOther(home) ? home : null);
  }
  for (const home of new Set(homes.values())) {
    if (home !== null) {
      events.push(move(home, keysOf(homes, home)));
    }
  }
  const homeless = keysOf(homes, null);
  for (const { root, evidence } of findOpenings(homeless, moment, firstSeen(incident))) {
    const known = findFailing(state, root);
    if (known === null) {
      let split: CorrelationEvent[] = [];
      const opened = openIncident(state, { at, graph, root, splitFrom: incident.number }, (created) => {
        split = [move(created, evidence)];
      });
      events.push({ type: 'opened', at, incident: opened }, ...split);
    } else if (known !== incident) {
      events.push(move(known, evidence));
    }
  }
  return events;
}

function firstSeen({ members }: Incident): ReadonlyMap<string, number> {
  return new Map([...members].map(([fingerprint, { firstAt }]) => [fingerprint, firstAt]));
}

function keysOf<Key, Value>(map: ReadonlyMap<Key, Value>, value: Value): Key[] {
  return [...map].flatMap(([key, found]) => (found === value ? [key] : []));
}

function findFailing({ live }: CorrelationState, root: string): Incident | null {
  return incidentsAt(live, root).find(({ activity, closedAt }) => activity === 'failing' && closedAt === null) ?? null;
}

/** Evidence of services with a high score of their own that neither call the root nor are called by it. */
function findUnreached(state: CorrelationState, incident: Incident): Evidence[] {
  const { root, candidates, members, traces, number } = incident;
  const reach = state.live.reach.get(number);
  const leastOwn = Math.max(LEAST_SCORE, HALF * ownOf(candidates, root));
  const others = new Set(
    candidates.flatMap(({ service, own }) => {
      const isReached = reach === undefined || reach.victims.has(service) || reach.suspects.has(service);
      return isReached || own < leastOwn || isLinked(traces, service, root) ? [] : [service];
    }),
  );
  if (others.size === 0) {
    return [];
  }
  return [...members.values()].flatMap(({ evidence }) => {
    const ends = servicesOf(evidence);
    return ends.some((service) => others.has(service)) && !ends.includes(root) ? [evidence] : [];
  });
}

function ownOf(candidates: readonly Candidate[], root: string): number {
  return candidates.find(({ service }) => service === root)?.own ?? 0;
}

/**
 * Failures at the callers of a root that works again have another cause. If requests are blamed on the root, only
 * accounts count: a log line of a caller that comes a little later is an aftereffect, or noise.
 */
function findOutlasting(incident: Incident): Evidence[] {
  return [...incident.members.values()].flatMap(({ evidence, seenAt }) =>
    evidence.seenAt !== undefined &&
    !incident.otherRoots.has(evidence.service) &&
    lostOnTheWayFrom(evidence) !== incident.root &&
    (incident.blamedAt === null || ACCOUNTED.has(evidence.family)) &&
    outlastsRoot(incident, seenAt)
      ? [evidence]
      : [],
  );
}

/**
 * Requests that are lost at another place, beyond chance: each is blamed on one place, so that is another failure. It may
 * have joined while its requests were few.
 */
function findOtherLosses(incident: Incident, at: number): Evidence[] {
  const { members, blamedAt, root, otherRoots } = incident;
  const all = [...members.values()];
  const explained = new Set(all.flatMap(({ evidence }) => evidence.explains ?? []));
  return all.flatMap(({ evidence, seenAt }) => {
    const { family, service } = evidence;
    const isExplained = explained.has(service) || lostOnTheWayFrom(evidence) === root;
    const isOther = service !== root && !otherRoots.has(service) && !isExplained;
    const isLost = family === 'harmed_requests' && isSignificant(evidence) && isFresh(seenAt, at);
    return blamedAt !== null && isOther && isLost && !sharesFate(evidence, incident) ? [evidence] : [];
  });
}
