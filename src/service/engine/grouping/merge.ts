import type { Evidence } from '../../core/evidence.ts';
import { LIMITS, MINUTE_MS } from '../constants.ts';
import { SETTLE_MS } from './constants.ts';
import type { CorrelationEvent, CorrelationState, Moment } from './correlation-state.ts';
import type { Incident } from './incident.ts';
import { addOtherRoot, type LiveIncidents, mergeIncident, updateReach } from './incidents.ts';
import { failsAlong, type Reach } from './reach.ts';

/** Merges incidents that are one failure, once a call, a root or a new edge of the graph shows it. */
export function mergeMatching(state: CorrelationState, { at, graph }: Moment): CorrelationEvent[] {
  const { live, unmatched } = state;
  if (graph.version !== state.graphVersion) {
    state.graphVersion = graph.version;
    for (const number of live.byNumber.keys()) {
      unmatched.add(number);
    }
  }
  return [...unmatched].slice(0, LIMITS.many).flatMap((number): CorrelationEvent[] => {
    unmatched.delete(number);
    const cause = live.byNumber.get(number);
    const before = live.reach.get(number);
    if (cause === undefined || before === undefined || !isOpen(cause)) {
      return [];
    }
    if (before.version !== graph.version) {
      updateReach(live, cause, graph);
    }
    const after = live.reach.get(number) ?? before;
    const [first, ...rest] = findEffects(state, cause, { before, after }, at);
    if (first === undefined) {
      return [];
    }
    return mergeAll(state, cause, [first, ...rest], at);
  });
}

/** Whether it may be merged by itself. */
export function isOpen({ closedAt, activity, floodOf }: Incident): boolean {
  return closedAt === null && activity === 'failing' && floodOf === null;
}

/** Incidents that the root of `cause` explains. */
function findEffects(
  { live }: CorrelationState,
  cause: Incident,
  { before, after }: { readonly before: Reach; readonly after: Reach },
  at: number,
): Incident[] {
  return [...after.victims].flatMap((victim) =>
    (live.byRoot.get(victim) ?? []).flatMap((number) => {
      const other = live.byNumber.get(number);
      if (other === undefined || other === cause || !isOpen(other) || cause.apart.has(number)) {
        return [];
      }
      const isRevealed = !before.victims.has(victim) && other.openedAt - cause.openedAt <= SETTLE_MS;
      const isSameRoot = other.root === cause.root && isHarmful(cause) && isHarmful(other);
      const explains =
        isSameRoot || (isRevealed && !failsByCalls(other)) || failsAlong(live.failingCalls, victim, cause.root, at);
      if (!explains || !isInTime(cause, other) || (isHarmful(cause) && isHarmful(other) && !isSameRoot)) {
        return [];
      }
      return [other];
    }),
  );
}

/** Whether lost requests are blamed on its root. */
function isHarmful({ members, root }: Incident): boolean {
  return [...members.values()].some(
    ({ evidence: { family, service } }) => family === 'harmed_requests' && service === root,
  );
}

/** Whether calls to its root fail. Then only failing calls show that another incident explains it, not the graph. */
function failsByCalls({ sums, root }: Incident): boolean {
  return sums.get(root)?.shared.has('failed_calls') === true;
}

/** A cause fails first, or is found a little later. */
function isInTime(cause: Incident, other: Incident): boolean {
  const foundWithinMs = failsByCalls(other) ? MINUTE_MS : SETTLE_MS;
  return beganAt(cause) - beganAt(other) <= foundWithinMs;
}

function beganAt({ members, openedAt }: Incident): number {
  return [...members.values()].reduce((first, { firstAt }) => Math.min(first, firstAt), openedAt);
}

/** Merges into the oldest of them. */
export function mergeAll(
  state: CorrelationState,
  cause: Incident,
  effects: readonly Incident[],
  at: number,
): CorrelationEvent[] {
  const [into, ...gone] = [cause, ...effects].toSorted((a, b) => a.number - b.number);
  if (into === undefined) {
    return [];
  }
  state.stale.add(into.number);
  state.unmatched.add(into.number);
  return gone.map((incident) => {
    mergeIncident(state.live, incident, into, at);
    return { type: 'merged', at, incident, into, isDecided: false };
  });
}

/**
 * Places that lose requests on one host, in one zone or in one pod only share a fate: they are one failure, although each
 * request is blamed on one place.
 */

export function sharesFate(
  one: Pick<Evidence, 'fate'>,
  other: Pick<Incident, 'fate'> | Pick<Evidence, 'fate'>,
): boolean {
  return one.fate !== undefined && one.fate.attribute === other.fate?.attribute && one.fate.value === other.fate.value;
}

/** The oldest failing incident whose fate the evidence shares, or null. */
export function findFated({ byNumber }: LiveIncidents, evidence: Evidence): Incident | null {
  return evidence.fate === undefined
    ? null
    : ([...byNumber.values()].find((incident) => isOpen(incident) && sharesFate(evidence, incident)) ?? null);
}

/** Notes the fate of an incident from the evidence of its roots, and further roots from their fate. */
export function noteFate(live: LiveIncidents, incident: Incident, evidence: Evidence): void {
  const { service, fate } = evidence;
  if (fate === undefined) {
    return;
  }
  if (service === incident.root || incident.otherRoots.has(service)) {
    incident.fate = fate;
  } else if (sharesFate(evidence, incident)) {
    addOtherRoot(live, incident, service);
  }
}

/** Merges failing incidents whose fate turns out to be the same, each into the oldest. */
export function mergeFated(state: CorrelationState, { at, graph, evidence }: Moment): CorrelationEvent[] {
  if (!evidence.some(({ fate }) => fate !== undefined)) {
    return [];
  }
  const fated = [...state.live.byNumber.values()].filter((incident) => incident.fate !== null && isOpen(incident));
  const byFate = Map.groupBy(fated, ({ fate }) => `${fate?.attribute}|${fate?.value}`);
  return [...byFate.values()].flatMap((incidents): CorrelationEvent[] => {
    const [into, ...others] = incidents.toSorted((a, b) => a.number - b.number);
    const gone = others.filter(({ number }) => into?.apart.has(number) === false);
    if (into === undefined || gone.length === 0) {
      return [];
    }
    for (const { root } of gone) {
      into.otherRoots.add(root);
    }
    const events = mergeAll(state, into, gone, at);
    updateReach(state.live, into, graph);
    return events;
  });
}
