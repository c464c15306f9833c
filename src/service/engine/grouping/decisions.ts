import type { KnownIncident } from '../../core/known-incident.ts';
import type { Neighbours } from '../graph/call-graph.ts';
import type { CorrelationEvent, CorrelationState } from './correlation-state.ts';
import { createIncident, type Incident } from './incident.ts';
import { addIncident, mergeIncident, moveEvidence, updateReach } from './incidents.ts';
import { addLost, takeLost } from './lost-requests.ts';
import { markClosed } from './past.ts';

/** A decision of a person about incidents. Plain data: it is written to the log. */
export type Decision =
  | { readonly kind: 'reopen'; readonly at: number; readonly incident: KnownIncident }
  /** `incident` is part of `into`. */
  | { readonly kind: 'merge'; readonly at: number; readonly incident: KnownIncident; readonly into: KnownIncident }
  /** `incident` was merged and is separate again; `from` is the number of the one that has its evidence. */
  | { readonly kind: 'split'; readonly at: number; readonly incident: KnownIncident; readonly from: number };

/** Obeys a decision. */
export function decide(state: CorrelationState, decision: Decision, graph: Neighbours): CorrelationEvent[] {
  switch (decision.kind) {
    case 'reopen':
      open(state, decision.incident, decision.at, graph);
      return [];
    case 'merge':
      return merge(state, decision, graph);
    case 'split':
      return split(state, decision, graph);
  }
}

function open(state: CorrelationState, known: KnownIncident, at: number, graph: Neighbours): Incident {
  const incident = follow(state, known, graph);
  incident.closedAt = null;
  incident.reopenedAt = at;
  return incident;
}

/** Incidents that people merged are never split automatically. */
function merge(
  state: CorrelationState,
  { at, incident, into: target }: Extract<Decision, { kind: 'merge' }>,
  graph: Neighbours,
): CorrelationEvent[] {
  const into = follow(state, target, graph);
  into.isWhole = true;
  into.otherRoots.add(incident.root);
  const gone = state.live.byNumber.get(incident.number);
  if (gone === undefined) {
    markClosed(state.past, incident.number);
    into.lost = addLost(into.lost, incident.lost ?? null);
    updateReach(state.live, into, graph);
    return [{ type: 'joined', at, incident: into, fingerprints: [] }];
  }
  mergeIncident(state.live, gone, into, at);
  updateReach(state.live, into, graph); // gone may have brought further roots
  state.stale.add(into.number);
  state.unmatched.add(into.number);
  return [{ type: 'merged', at, incident: gone, into, isDecided: true }];
}

/** Incidents that people split are never merged automatically. */
function split(
  state: CorrelationState,
  { at, incident: known, from: number }: Extract<Decision, { kind: 'split' }>,
  graph: Neighbours,
): CorrelationEvent[] {
  const incident = open(state, known, at, graph);
  incident.apart.add(number);
  const from = state.live.byNumber.get(number);
  if (from === undefined) {
    return [];
  }
  from.apart.add(incident.number);
  from.lost = takeLost(from.lost, incident.lost);
  const fingerprints = from.absorbed.get(incident.number) ?? [];
  from.absorbed.delete(incident.number);
  from.otherRoots.delete(incident.root);
  updateReach(state.live, from, graph);
  moveEvidence(state.live, from, incident, fingerprints);
  state.stale.add(from.number).add(incident.number);
  return [{ type: 'split', at, incident, from, fingerprints, isDecided: true }];
}

/** The live incident. A forgotten one is created again from the stored facts and its remembered fingerprints. */
export function follow(state: CorrelationState, known: KnownIncident, graph: Neighbours): Incident {
  const { live, past } = state;
  const followed = live.byNumber.get(known.number);
  if (followed !== undefined) {
    return followed;
  }
  const { number, root, openedAt, lastAt, activity, activeSince, openAlerts = [], lost = null } = known;
  const { hasTelemetry = activity !== 'recovered' } = known;
  const incident = createIncident(number, openedAt, root, null);
  incident.history.push({ at: openedAt, root, confidence: 0 });
  Object.assign(incident, { lastAt, activity, activeSince, hasTelemetry, lost });
  addIncident(live, incident, graph);
  const index = past.findIndex((other) => other.number === number);
  for (const fingerprint of [...(past[index]?.fingerprints ?? []), ...openAlerts]) {
    live.byFingerprint.set(fingerprint, number);
  }
  for (const fingerprint of openAlerts) {
    incident.openAlerts.add(fingerprint);
  }
  if (index >= 0) {
    past.splice(index, 1);
  }
  return incident;
}
