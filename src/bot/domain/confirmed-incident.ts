import type { Incident, IncidentSummary } from '../../contract/resources.ts';

/** What the service confirmed of a write of ours. */
export type Confirmation =
  | { readonly kind: 'acknowledge'; readonly user: string; readonly at: Date }
  | { readonly kind: 'resolve'; readonly user: string; readonly at: Date; readonly note: string };

/**
 * The incident as the service tells it, completed by what it confirmed to us (a 2xx) where it does not tell at all. A
 * field the service shows wins always, also when it says "nobody": it knows better than our memory.
 */
export function confirmedIncident(incident: Incident, confirmations: readonly Confirmation[]): Incident {
  return confirmations.reduce(complete, incident);
}

/** Whether the service says who has acknowledged it, be it nobody. */
export function tellsAcknowledgement(incident: IncidentSummary): boolean {
  const { acknowledged, acknowledged_at, acknowledged_by } = incident;
  return acknowledged === false || acknowledged_at !== undefined || acknowledged_by !== undefined;
}

function complete(incident: Incident, confirmation: Confirmation): Incident {
  const at = confirmation.at.toISOString();
  if (confirmation.kind === 'acknowledge') {
    return tellsAcknowledgement(incident)
      ? incident
      : { ...incident, acknowledged_by: confirmation.user, acknowledged_at: at };
  }
  if (incident.status !== 'closed') {
    return incident;
  }
  return {
    ...incident,
    resolved_by: incident.resolved_by === undefined ? confirmation.user : incident.resolved_by,
    closed_at: incident.closed_at === undefined ? at : incident.closed_at,
    resolution_note: incident.resolution_note === undefined ? confirmation.note : incident.resolution_note,
  };
}
