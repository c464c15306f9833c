import type { IncidentSummary, Severity } from '../../contract/resources.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import { hasLabels } from '../../incident/label-filter.ts';
import { type Asker, isBy } from '../slack/person.ts';
import { isSameText } from '../slack/same-text.ts';

/** `any service`: a service name without `service:` is accepted too. */
export type FilterName = 'service' | 'any service' | 'severity' | 'label' | 'acknowledged' | 'period';

/** What a list is narrowed down to; null: not narrowed. */
export interface IncidentFilter {
  /** Root service or affected service. */
  readonly service: string | null;
  readonly severity: Severity | null;
  /** `team:payments`, see `hasLabels`. */
  readonly labels: readonly string[] | null;
  readonly isAcknowledged: boolean | null;
  /** How far back. */
  readonly periodMs: number | null;
}

export const NO_FILTER: IncidentFilter = {
  service: null,
  severity: null,
  labels: null,
  isAcknowledged: null,
  periodMs: null,
};

/** The incidents of a list. */
export interface ListQuery extends IncidentFilter {
  /** Who acknowledged it, leads or communicates, also as a member of a group; null: anybody or nobody. */
  readonly acknowledgedBy: Asker | null;
}

export const ALL: ListQuery = { ...NO_FILTER, acknowledgedBy: null };

/** Whether the list has all open incidents. */
export function isWhole(query: ListQuery): boolean {
  return Object.values(query).every((value) => value === null);
}

/** Ignores the period, which is about the opening in some lists and about the closing in others. */
export function matchesQuery(
  incident: IncidentSummary,
  { service, severity, labels, isAcknowledged: wanted, acknowledgedBy }: ListQuery,
): boolean {
  return (
    (service === null || [incident.root_service, ...(incident.services ?? [])].some(isNamed(service))) &&
    (severity === null || incident.severity === severity) &&
    (labels === null || hasLabels(labels, incident.labels)) &&
    (wanted === null || isAcknowledged(incident) === wanted) &&
    (acknowledgedBy === null ||
      isBy(acknowledgedBy, incident.acknowledged_by, incident.acknowledged_by_id) ||
      [incident.lead, incident.communications].some((assigned) =>
        [acknowledgedBy.name, ...acknowledgedBy.groups].some((name) => isSameText(assigned ?? '', name)),
      ))
  );
}

function isNamed(service: string): (name: string) => boolean {
  const wanted = service.toLowerCase();
  return (name) => name.toLowerCase() === wanted;
}

/** The filter as people type it; empty: not narrowed. */
export function queryWords({ service, severity, labels, isAcknowledged: wanted, periodMs }: IncidentFilter): string {
  return [
    periodMs === null ? '' : periodWord(periodMs),
    service === null ? '' : `service:${service}`,
    severity === null ? '' : `severity:${severity}`,
    ...(labels ?? []).map(quoted),
    wanted === null ? '' : wanted ? 'acked' : 'unacked',
  ]
    .filter((word) => word !== '')
    .join(' ');
}

/** `team:"the payers"` */
function quoted(label: string): string {
  return /[\s,]/.test(label) ? label.replace(/^(\w+:)(.*)$/, '$1"$2"') : label;
}

const HOUR_MS = 3_600_000;

/** "7d", "36h" */
export function periodWord(periodMs: number): string {
  const hours = Math.round(periodMs / HOUR_MS);
  return hours % 24 === 0 ? `${hours / 24}d` : `${hours}h`;
}
