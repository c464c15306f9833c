import type { Evidence } from '../../core/evidence.ts';
import type { CorrelationEvent, CorrelationState, Moment } from './correlation-state.ts';
import type { Incident } from './incident.ts';
import { addOtherRoot, type LiveIncidents, updateReach } from './incidents.ts';
import { isOpen, mergeAll } from './merge.ts';

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
