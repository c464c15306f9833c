import type { Neighbours } from '../graph/call-graph.ts';
import { rank } from '../ranking/rank.ts';
import type { CorrelationEvent, CorrelationState, Moment } from './correlation-state.ts';
import { EVIDENCE_MS, type Incident, updateRootSeen } from './incident.ts';
import { updateReach } from './incidents.ts';
import { ACCOUNTED } from './reach.ts';
import { similar } from './similar.ts';

/** A new root must be ahead by this factor: two that are alike must not take turns. */
const AHEAD = 1.2;

/** Ranks the services of an incident, and takes the first as its root if it is clearly ahead of the present one. */
export function rerank(state: CorrelationState, incident: Incident, { graph, at }: Pick<Moment, 'graph' | 'at'>): void {
  const { candidates, confidence } = rank(incident.sums, graph);
  const [first] = candidates;
  if (first === undefined) {
    return;
  }
  const current = candidates.find(({ service }) => service === incident.root);
  incident.candidates = candidates;
  incident.confidence = confidence;
  if (incident.blamedAt !== null) {
    // Each request was followed to its place: what else is odd is no reason to doubt that.
    const own = current ?? { service: incident.root, score: first.score, own: 0, families: [] };
    incident.candidates = [own, ...candidates.filter(({ service }) => service !== incident.root)];
    incident.confidence = confidenceInBlame(incident);
    return;
  }
  // What opened it no longer counts: another place is blamed for something else.
  if (at - incident.openedAt > EVIDENCE_MS) {
    return;
  }
  if (first.service !== incident.root && (current === undefined || first.score > AHEAD * current.score)) {
    setRoot(state, incident, first.service, graph);
  }
}

/** So many of the incidents that requests were followed to have the right root, when nothing else is blamed (measured). */
const MOST_SURE = 0.93;
/** What others are blamed for meanwhile may be noise of their own. */
const OTHERS = 0.5;

function confidenceInBlame({ members, root }: Incident): number {
  let own = 0;
  let others = 0;
  for (const { evidence, isCounted } of members.values()) {
    if (isCounted && ACCOUNTED.has(evidence.family)) {
      own = Math.max(own, evidence.service === root ? evidence.strength : 0);
      others = Math.max(others, evidence.service === root ? 0 : evidence.strength);
    }
  }
  return own === 0 ? MOST_SURE / 2 : (MOST_SURE * own) / (own + OTHERS * others);
}

/** Sets the root and what follows from it. */
export function setRoot(state: CorrelationState, incident: Incident, root: string, graph: Neighbours): void {
  if (root !== incident.root) {
    incident.onTheWay.clear();
  }
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
