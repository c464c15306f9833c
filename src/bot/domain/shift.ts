import { isAcknowledged } from './incident.ts';
import type { Snapshot } from './snapshot.ts';

const SEVERITIES = ['critical', 'error', 'warning', 'info'];

/** What happened during a shift, and what it leaves. */
export interface Shift {
  readonly since: Date;
  readonly opened: number;
  readonly closed: number;
  /** Still open: those that nobody has taken first, then the worst, then the oldest. */
  readonly open: readonly Snapshot[];
}

/** @param incidents all that are open, and those that closed since then */
export function shiftOf(incidents: readonly Snapshot[], since: Date): Shift {
  const open = incidents.filter(({ status }) => status === 'open');
  return {
    since,
    opened: incidents.filter(({ opened_at: at }) => new Date(at) >= since).length,
    closed: incidents.length - open.length,
    open: open.toSorted(
      (one, other) =>
        Number(isAcknowledged(one)) - Number(isAcknowledged(other)) ||
        rank(one) - rank(other) ||
        Date.parse(one.opened_at) - Date.parse(other.opened_at),
    ),
  };
}

function rank({ severity }: Snapshot): number {
  return severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity);
}
