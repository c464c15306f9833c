import type { IncidentSummary } from '../../contract/resources.ts';

type Opened = Pick<IncidentSummary, 'opened_at'>;

/** Compares for sorting, oldest first. */
export function byOpening(one: Opened, other: Opened): number {
  return Date.parse(one.opened_at) - Date.parse(other.opened_at);
}

export function isNewestFirst(incidents: readonly Opened[]): boolean {
  return incidents.every((incident, index) => {
    const before = incidents[index - 1];
    return before === undefined || byOpening(before, incident) >= 0;
  });
}
