import type { Neighbours } from '../graph/call-graph.ts';
import { rank } from '../ranking/rank.ts';
import type { CorrelationState } from './correlation-state.ts';
import { createIncident, type Incident } from './incident.ts';
import { addIncident } from './incidents.ts';
import { rerank, setRoot } from './root.ts';

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
