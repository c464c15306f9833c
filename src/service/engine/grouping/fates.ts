import type { Evidence } from '../../core/telemetry-item.ts';
import type { CorrelationEvent, CorrelationState, Moment } from './correlation-state.ts';
import type { Incident } from './incident.ts';
import { addOtherRoot, type LiveIncidents, mergeIncident, updateReach } from './incidents.ts';

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

function isOpen({ closedAt, activity, floodOf }: Incident): boolean {
  return closedAt === null && activity === 'failing' && floodOf === null;
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
export function mergeFated(
  { live, stale, unmatched }: CorrelationState,
  { at, graph, evidence }: Moment,
): CorrelationEvent[] {
  if (!evidence.some(({ fate }) => fate !== undefined)) {
    return [];
  }
  const fated = [...live.byNumber.values()].filter((incident) => incident.fate !== null && isOpen(incident));
  const byFate = Map.groupBy(fated, ({ fate }) => `${fate?.attribute}|${fate?.value}`);
  return [...byFate.values()].flatMap((incidents) => {
    const [into, ...others] = incidents.toSorted((a, b) => a.number - b.number);
    return others.flatMap((gone): CorrelationEvent[] => {
      if (into === undefined || into.apart.has(gone.number)) {
        return [];
      }
      into.otherRoots.add(gone.root);
      mergeIncident(live, gone, into, at);
      updateReach(live, into, graph);
      stale.add(into.number);
      unmatched.add(into.number);
      return [{ type: 'merged', at, incident: gone, into, isDecided: false }];
    });
  });
}
