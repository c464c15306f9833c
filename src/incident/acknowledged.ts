import type { IncidentSummary } from '../contract/resources.ts';

/** An open incident; a service reports it in one of three ways. Still true after closing. */
export function isAcknowledged(
  incident: Pick<IncidentSummary, 'acknowledged' | 'acknowledged_at' | 'acknowledged_by'>,
): boolean {
  return incident.acknowledged === true || (incident.acknowledged_at ?? incident.acknowledged_by ?? null) !== null;
}
