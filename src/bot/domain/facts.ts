import type { Incident } from '../../contract/resources.ts';

/** The facts of an incident whose changes are reported in the card's thread. */
export interface Facts
  extends Pick<
    Incident,
    | 'status'
    | 'signal_count'
    | 'signals_by_type'
    | 'severity'
    | 'signals_ended_at'
    | 'acknowledged'
    | 'acknowledged_by'
    | 'acknowledged_at'
    | 'resolved_by'
    | 'closed_at'
    | 'resolution_note'
  > {
  /** When the signals were counted. */
  readonly counted_at: string;
  /** All services of the incident, including the root service. */
  readonly services: readonly string[];
}

export function factsOf(incident: Incident, now: Date): Facts {
  const { status, signal_count, signals_by_type, severity, signals_ended_at } = incident;
  const { acknowledged, acknowledged_by, acknowledged_at, resolved_by, closed_at, resolution_note } = incident;
  return {
    status,
    signal_count,
    signals_by_type,
    severity,
    signals_ended_at,
    acknowledged,
    acknowledged_by,
    acknowledged_at,
    resolved_by,
    closed_at,
    resolution_note,
    counted_at: now.toISOString(),
    services: [...new Set([incident.root_service, ...(incident.services ?? [])])],
  };
}
