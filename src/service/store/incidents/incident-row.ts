import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Mute } from '../../../contract/mute.ts';
import { countByType, type Incident, type IncidentRecord, type TimelineMoment } from '../../core/incident.ts';
import type { IncidentsTable, MutesTable } from '../schema/incident-columns.ts';

/** How many minutes of failures are read with an incident, counted back from when it was last seen. */
const READ_MINUTES = sql.lit(40);

/** What `selectIncidents` gives. */
export interface IncidentRow extends Selectable<IncidentsTable> {
  /** `[milliseconds since 1970, failures]`, in no order. */
  readonly recent_failures: readonly (readonly [number, number])[] | null;
  /** All mutes that apply. */
  readonly mutes: readonly WithTextTimes<MutesTable>[] | null;
}

type WithTextTimes<Row> = { readonly [Key in keyof Row]: Row[Key] extends Date ? string : Row[Key] };

/** Whether the incident has each of these labels, and no value of them that no pattern matches. @param patterns see `MutePatterns` */
export function hasLabels(patterns: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select from jsonb_each(${patterns}) as wanted(label, patterns)
    where not coalesce((
      select bool_and(exists (select from jsonb_array_elements_text(wanted.patterns) as choice(pattern) where word like pattern))
      from unnest(incidents.labels || ('service:' || root_service)) as word where starts_with(word, label || ':')
    ), false)
  )`;
}

/** Start of each statement that reads incidents. */
export const selectIncidents = sql`
  select incidents.*,
    (
      select jsonb_agg(jsonb_build_array(extract(epoch from minute) * 1000, counted.failures))
      from incident_failures as counted
      where incident_id = incidents.id and minute > last_signal_at - ${READ_MINUTES} * interval '1 minute'
    ) as recent_failures,
    (
      select jsonb_agg(to_jsonb(mutes)) from mutes
      where closed_at is null and ((target, value) in (
        ('incident', incidents.id), ('service', root_service), ('integration', sole_integration))
        or (target = 'labels' and ${hasLabels(sql`mutes.patterns`)}))
    ) as mutes
  from incidents
`;

export function toIncident(row: IncidentRow): Incident {
  return {
    id: row.id,
    number: Number(row.number),
    system: row.system,
    ordinal: Number(row.ordinal ?? row.number),
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
      row.acknowledged_at === null
        ? null
        : { at: row.acknowledged_at, by: row.acknowledged_by ?? 'unknown', byId: row.acknowledged_by_id },
    closing:
      row.closed_at === null
        ? null
        : {
            at: row.closed_at,
            note: row.resolution_note ?? '',
            by: row.resolved_by,
            byId: row.resolved_by_id,
            ...(row.is_no_problem && { isNoProblem: true }),
          },
    previousIncidentId: row.previous_incident_id,
    similarNumbers: row.similar_numbers.map(Number),
    activity: row.activity,
    activeSince: row.active_since,
    lastSeenAt: row.last_signal_at,
    recurrences: row.recurrences,
    impact: row.impact,
    rootChanges: row.root_changes,
    mergedInto: row.merged_into,
    labels: row.labels,
    links: row.links,
    traceId: row.trace_id,
    changes: row.changes,
    integrations: row.integrations,
    soleIntegration: row.sole_integration,
    failures: (row.recent_failures ?? []).map(([at, count]) => ({ at, count })).toSorted((a, b) => a.at - b.at),
    declaredBy: row.declared_by,
    declaredById: row.declared_by_id,
    byHand: row.by_hand,
    found: row.found,
    teachable: row.teachable,
    mute: (row.mutes ?? []).map(toMute).toSorted((a, b) => (a.until < b.until ? 1 : -1))[0] ?? null,
  };
}

/** @param moments without the opening, oldest first */
export function toRecord(incident: Incident, moments: readonly TimelineMoment[]): IncidentRecord {
  const opened = { at: incident.openedAt, event: 'opened', by: null, text: null } as const;
  return { ...incident, timeline: [opened, ...moments] };
}

export function toMute(row: WithTextTimes<MutesTable> | MutesTable): Mute {
  return {
    id: row.id,
    target: row.target,
    value: row.value,
    until: new Date(row.until).toISOString(),
    starts_at: null,
    repeat: null,
    time_zone: null,
    reason: row.reason,
    created_by: row.created_by,
    created_by_id: row.created_by_id,
    created_at: new Date(row.created_at).toISOString(),
  };
}
