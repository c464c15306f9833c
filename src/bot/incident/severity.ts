import type { IncidentSummary } from '../../contract/resources.ts';
import { isMuted } from '../../incident/mute.ts';
import { severityRank } from '../../incident/severity.ts';
import { byOpening } from './opening-order.ts';

type Rated = Pick<IncidentSummary, 'severity' | 'opened_at' | 'mute'>;

/** Compares for sorting: muted incidents last, the worst first, then the one that has been open longest. */
export function byUrgency(now: Date): (one: Rated, other: Rated) => number {
  return (one, other) =>
    Number(isMuted(one, now)) - Number(isMuted(other, now)) ||
    severityRank(one.severity) - severityRank(other.severity) ||
    byOpening(one, other);
}
