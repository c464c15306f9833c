import type { IncidentSummary } from '../../../contract/resources.ts';
import { isAcknowledged } from '../../../incident/acknowledged.ts';

const MOST_ROOTS = 5;

/** Median and 90th percentile of a duration, in milliseconds. */
export interface Times {
  /** Number of incidents with a start and an end; if it is 0, the other fields are meaningless. */
  readonly count: number;
  readonly medianMs: number;
  readonly p90Ms: number;
}

export interface IncidentStats {
  readonly total: number;
  readonly open: number;
  readonly closed: number;
  readonly acknowledged: number;
  readonly toAcknowledge: Times;
  readonly toClose: Times;
  /** The most frequent first, at most five. */
  readonly roots: readonly { readonly service: string; readonly incidents: number }[];
  /** Closed without anybody having acknowledged them. */
  readonly noise: number;
}

export function incidentStats(incidents: readonly IncidentSummary[]): IncidentStats {
  const closed = incidents.filter(({ status }) => status === 'closed');
  const roots = Map.groupBy(incidents, ({ root_service }) => root_service);
  return {
    total: incidents.length,
    open: incidents.length - closed.length,
    closed: closed.length,
    acknowledged: incidents.filter(isAcknowledged).length,
    toAcknowledge: timesOf(incidents.map((each) => between(each.opened_at, each.acknowledged_at))),
    toClose: timesOf(closed.map((each) => between(each.opened_at, each.closed_at))),
    roots: [...roots]
      .map(([service, members]) => ({ service, incidents: members.length }))
      .sort((one, other) => other.incidents - one.incidents || (one.service < other.service ? -1 : 1))
      .slice(0, MOST_ROOTS),
    noise: closed.filter((incident) => !isAcknowledged(incident)).length,
  };
}

/** @returns NaN: not known */
function between(from: string, to: string | null | undefined): number {
  return to ? Math.max(0, Date.parse(to) - Date.parse(from)) : Number.NaN;
}

function timesOf(durations: readonly number[]): Times {
  const known = durations.filter((ms) => Number.isFinite(ms)).toSorted((one, other) => one - other);
  return { count: known.length, medianMs: percentile(known, 0.5), p90Ms: percentile(known, 0.9) };
}

/** Percentile by nearest rank, so that the result is one of the measured times. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
