import type { Evidence } from '../../core/evidence.ts';
import { isHarm } from '../evidence.ts';
import type { Neighbours } from '../graph/call-graph.ts';
import { MOST_SHOWN } from './constants.ts';
import type { CorrelationState } from './correlation-state.ts';
import { follow } from './decisions.ts';
import type { Incident } from './incident.ts';
import { incidentsAt } from './incidents.ts';
import { asPast, evidenceOf, findSimilar, type PastIncident } from './past.ts';

/** Numbers of earlier incidents that had the same alert, or in which the same root failed in the same way, newest first. */
export function similar(state: CorrelationState, incident: Incident): number[] {
  const evidence = evidenceOf(incident);
  const silent = incidentsAt(state.live, incident.root).filter(
    ({ number, activity, closedAt }) => number < incident.number && (activity !== 'failing' || closedAt !== null),
  );
  const before = [...state.past.filter(({ number }) => number !== incident.number), ...silent.map(asPast)];
  const continued = evidence.flatMap(({ previous }) => previous ?? []);
  const all = new Set([...continued, ...findSimilar(before, incident.root, evidence)]);
  return [...all].toSorted((a, b) => b - a).slice(0, MOST_SHOWN);
}

/**
 * The last open incident in which the same root failed in the same way: while nobody has closed it, its failure comes back
 * to it, however long ago it was last seen. Lost requests come back only to an incident that lost some: people may have
 * taken another for harmless.
 */
export function findReturning(
  state: CorrelationState,
  root: string,
  evidence: readonly Evidence[],
  graph: Neighbours,
): Incident | null {
  const isHarmful = evidence.some(isHarm);
  const canTake = ({ open }: PastIncident) => open != null && (open.lost !== undefined || !isHarmful);
  const open = [...state.past, ...incidentsAt(state.live, root).map(asPast)].filter(canTake);
  const last = Math.max(...findSimilar(open, root, evidence));
  const known = open.find(({ number }) => number === last)?.open;
  return known == null ? null : follow(state, known, graph);
}
