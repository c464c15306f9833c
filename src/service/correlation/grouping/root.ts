import type { Neighbours } from '../graph/call-graph.ts';
import { rank } from '../ranking/rank.ts';
import type { CorrelationEvent, CorrelationState } from './correlation-state.ts';
import { type Incident, updateRootSeen } from './incident.ts';
import { updateReach } from './incidents.ts';
import { similar } from './similar.ts';

/** A new root must be ahead by this factor: two that are alike must not take turns. */
const AHEAD = 1.2;

/** Ranks the services of an incident, and takes the first as its root if it is clearly ahead of the present one. */
export function rerank(state: CorrelationState, incident: Incident, graph: Neighbours): void {
  const { candidates, confidence } = rank(incident.sums, graph);
  const [first] = candidates;
  if (first === undefined) {
    return;
  }
  const current = candidates.find(({ service }) => service === incident.root);
  incident.candidates = candidates;
  incident.confidence = confidence;
  if (first.service !== incident.root && (current === undefined || first.score > AHEAD * current.score)) {
    setRoot(state, incident, first.service, graph);
  }
}

/** Sets the root and what follows from it. */
export function setRoot(state: CorrelationState, incident: Incident, root: string, graph: Neighbours): void {
  incident.root = root;
  updateRootSeen(incident);
  updateReach(state.live, incident, graph);
  incident.previous = similar(state, incident)[0] ?? null;
  state.unmatched.add(incident.number);
}

/** Notes the root that an incident has at the end of a slot. @returns an event if it is another than before */
export function recordRoot(incident: Incident, at: number): CorrelationEvent[] {
  const { history, root, confidence } = incident;
  const from = history.at(-1)?.root ?? null;
  if (from === root) {
    return [];
  }
  history.push({ at, root, confidence });
  return from === null ? [] : [{ type: 'root_changed', at, incident, from }];
}
