import type { Selectable } from 'kysely';
import { countByType, type Incident } from '../core/incident.ts';
import type { IncidentsTable } from './tables.ts';

export type IncidentRow = Selectable<IncidentsTable>;

export function toIncident(row: IncidentRow): Incident {
  return {
    id: row.id,
    number: Number(row.number),
    title: row.title,
    severity: row.severity,
    rootService: row.root_service,
    services: row.services,
    signalCounts: { ...countByType([]), ...row.signal_counts },
    correlation: row.correlation,
    openedAt: row.opened_at,
    updatedAt: row.updated_at,
    signalsEndedAt: row.signals_ended_at,
    acknowledgement:
      row.acknowledged_at === null ? null : { at: row.acknowledged_at, by: row.acknowledged_by ?? 'unknown' },
    closing:
      row.closed_at === null ? null : { at: row.closed_at, note: row.resolution_note ?? '', by: row.resolved_by },
    previousIncidentId: row.previous_incident_id,
    similarNumbers: row.similar_numbers.map(Number),
    activity: row.activity,
    activeSince: row.active_since,
    lastSeenAt: row.last_signal_at,
    impact: row.impact,
    rootChanges: row.root_changes,
    mergedInto: row.merged_into,
  };
}
