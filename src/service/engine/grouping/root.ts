import type { Evidence } from '../../core/evidence.ts';
import { ACCOUNTED, lostOnTheWayFrom } from '../evidence.ts';
import type { Neighbours } from '../graph/call-graph.ts';
import { rank } from '../ranking/rank.ts';
import { AHEAD, EVIDENCE_MS, LOG_ODDS, NOT_BLAMED, OTHERS } from './constants.ts';
import type { CorrelationEvent, CorrelationState, Moment } from './correlation-state.ts';
import { createIncident, type Incident, updateRootSeen } from './incident.ts';
import { addIncident, updateReach } from './incidents.ts';
import { similar } from './similar.ts';

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
    // Requests were followed to this root, so other evidence does not change it.
    const own = current ?? { service: incident.root, score: first.score, own: 0, families: [] };
    incident.candidates = [own, ...candidates.filter(({ service }) => service !== incident.root)];
    incident.confidence = confidenceInBlame(incident);
    return;
  }
  // The evidence that opened it no longer counts, so a higher score elsewhere is another failure.
  if (at - incident.openedAt > EVIDENCE_MS) {
    return;
  }
  if (first.service !== incident.root && (current === undefined || first.score > AHEAD * current.score)) {
    setRoot(state, incident, first.service, graph);
  }
}

function confidenceInBlame({ members, root, otherRoots }: Incident): number {
  let own: Evidence | null = null;
  let others = 0;
  for (const { evidence, isCounted } of members.values()) {
    if (isCounted && ACCOUNTED.has(evidence.family)) {
      if (otherRoots.has(evidence.service) || lostOnTheWayFrom(evidence) === root) {
        continue;
      }
      if (evidence.service !== root) {
        others = Math.max(others, evidence.strength);
      } else if (own === null || evidence.strength > own.strength) {
        own = evidence;
      }
    }
  }
  if (own === null) {
    return NOT_BLAMED;
  }
  const { requests = 1, total = 1 } = own.lost ?? {};
  const odds = LOG_ODDS.base + LOG_ODDS.ofShare * ((requests + 0.5) / (total + 1));
  return own.strength / (own.strength + OTHERS * others) / (1 + Math.exp(-odds));
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

interface Start {
  readonly at: number;
  readonly graph: Neighbours;
  readonly root: string;
  /** The incident that its evidence is split from, or null. */
  readonly splitFrom: number | null;
}

/** Opens an incident. `fill` puts its evidence in. */
export function openIncident(
  state: CorrelationState,
  { at, graph, root, splitFrom }: Start,
  fill: (incident: Incident) => void,
): Incident {
  const incident = createIncident(state.nextNumber, at, root, splitFrom);
  state.nextNumber += 1;
  addIncident(state.live, incident, graph);
  fill(incident);
  const { candidates } = rank(incident.sums, graph);
  setRoot(state, incident, incident.blamedAt === null ? (candidates[0]?.service ?? root) : root, graph);
  rerank(state, incident, { graph, at });
  return incident;
}
