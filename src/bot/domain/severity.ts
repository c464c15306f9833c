import type { IncidentSummary } from '../../contract/resources.ts';
import { Severity } from '../../contract/resources.ts';
import { byOpening } from './opening-order.ts';

type Rated = Pick<IncidentSummary, 'severity' | 'opened_at' | 'mute'>;

/** 0 is the worst; an unknown severity is last. */
export function severityRank(severity: Severity | undefined): number {
  const rank = severity === undefined ? -1 : Severity.options.indexOf(severity);
  return rank < 0 ? Severity.options.length : rank;
}

/** Compares for sorting: muted incidents last, the worst first, then the one that has been open longest. */
export function byUrgency(one: Rated, other: Rated): number {
  return (
    Number(isMuted(one)) - Number(isMuted(other)) ||
    severityRank(one.severity) - severityRank(other.severity) ||
    byOpening(one, other)
  );
}

export function isMuted({ mute }: Pick<IncidentSummary, 'mute'>): boolean {
  return (mute ?? null) !== null;
}
