import { z } from 'zod';
import type { Incident } from '../../../contract/resources.ts';
import type { Snapshot } from '../../incident/snapshot.ts';

/** Written by this version or an earlier one; what reads it does not depend on single fields. */
export const STORED_FACTS = z.custom<Facts>((value) => typeof value === 'object' && value !== null);

/** Earlier changes of the root are part of finding it. */
const ROOT_SETTLES_MS = 30_000;

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
    | 'root_changes'
    | 'recurrences'
    | 'lead'
    | 'communications'
    | 'detected'
    | 'title'
  > {
  /** When the signals were counted. */
  readonly counted_at: string;
  /** All services of the incident, including the root service. */
  readonly services: readonly string[];
  readonly taken_back?: Snapshot['taken_back'];
  readonly alerts?: Snapshot['alerts'];
}

export function factsOf(incident: Snapshot, now: Date): Facts {
  const { status, signal_count, signals_by_type, severity, signals_ended_at } = incident;
  const { opened_at, root_changes = [], recurrences, lead, communications, detected, title } = incident;
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
    root_changes: root_changes.filter(({ at }) => Date.parse(at) - Date.parse(opened_at) >= ROOT_SETTLES_MS),
    recurrences,
    lead,
    communications,
    detected,
    title,
    counted_at: now.toISOString(),
    taken_back: incident.taken_back,
    alerts: incident.alerts,
    services: [...new Set([incident.root_service, ...(incident.services ?? [])])],
  };
}
