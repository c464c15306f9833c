import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { byUrgency } from '../../incident/severity.ts';
import type { Snapshot } from '../../incident/snapshot.ts';

/** The incidents of a shift, for the next person on call. */
export interface Shift {
  readonly from: Date;
  readonly to: Date;
  /** How many opened during the shift. */
  readonly opened: number;
  /** Open and not acknowledged, the worst first, whenever they opened. */
  readonly untaken: readonly Snapshot[];
  /** Open and acknowledged, the worst first. */
  readonly taken: readonly Snapshot[];
  /** Closed during the shift, last closed first. */
  readonly closed: readonly Snapshot[];
}

/** @param incidents all that are open or were closed during the shift */
export function shiftOf(incidents: readonly Snapshot[], { from, to }: { from: Date; to: Date }): Shift {
  // There is no upper bound, so that incidents count even if the service's clock is ahead.
  const isWithin = (at: string | null | undefined) => at != null && new Date(at) >= from;
  const open = incidents.filter(({ status }) => status === 'open').toSorted(byUrgency(to));
  return {
    from,
    to,
    opened: incidents.filter((incident) => isWithin(incident.opened_at)).length,
    untaken: open.filter((incident) => !isAcknowledged(incident)),
    taken: open.filter(isAcknowledged),
    closed: incidents
      .filter(({ status }) => status === 'closed')
      .toSorted((one, other) => timeOf(other.closed_at) - timeOf(one.closed_at)),
  };
}

/** 0: the service does not report it. */
function timeOf(at: string | null | undefined): number {
  return at == null ? 0 : Date.parse(at);
}
