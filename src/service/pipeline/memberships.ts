import type { Incident } from '../core/incident.ts';
import type { Placement } from '../engine/grouping/correlation-state.ts';
import type { Membership } from '../store/incidents/incident-writer.ts';
import { signalsOf } from './finding-signal.ts';

/** Signals behind evidence were seen at most this long before it: the sliding window, and late arrivals. */
const EVIDENCE_SPAN_MS = 3 * 60_000;
/** How long repeated alerts without an incident are folded. */
const ALERT_SPAN_MS = 5 * 60_000;

/**
 * Which signals belong to which incident. What failed before and after an incident was closed has the same fingerprint,
 * and may be judged in one step: a signal belongs to the incident that had the first evidence since the signal began.
 *
 * @param placements of one step
 * @param stored by number; placements in other incidents are left out
 * @returns for each fingerprint, periods that do not overlap
 */
export function membershipsOf(
  placements: readonly Placement[],
  stored: ReadonlyMap<number, Pick<Incident, 'id'>>,
): Membership[] {
  const memberships = placements.flatMap(({ incident, evidence: { at, ...one } }): Membership[] => {
    const incidentId = stored.get(incident.number)?.id;
    if (incidentId === undefined) {
      return [];
    }
    const isAlert = one.origin === 'alert';
    // Correlation may be late, however long.
    const seenSince = new Date(isAlert ? Math.min(at, one.reportedAt ?? at) - ALERT_SPAN_MS : at - EVIDENCE_SPAN_MS);
    // An alert may say that it begins later, and it is evidence only once.
    const begunBy = isAlert ? null : new Date(at);
    return signalsOf(one).map((fingerprint) => ({ fingerprint, incidentId, seenSince, begunAfter: null, begunBy }));
  });
  return [...Map.groupBy(memberships, ({ fingerprint }) => fingerprint).values()].flatMap(inTurn);
}

/** @param memberships of one fingerprint */
function inTurn(memberships: readonly Membership[]): Membership[] {
  const inOrder = memberships.toSorted((one, other) => endOf(one) - endOf(other));
  const turns: Membership[] = [];
  for (const membership of inOrder) {
    const before = turns.at(-1);
    if (before?.incidentId === membership.incidentId) {
      turns[turns.length - 1] = { ...before, begunBy: membership.begunBy };
    } else if (before === undefined || endOf(before) < endOf(membership)) {
      turns.push({ ...membership, begunAfter: before?.begunBy ?? null });
    }
  }
  return turns;
}

function endOf({ begunBy }: Membership): number {
  return begunBy?.getTime() ?? Number.POSITIVE_INFINITY;
}
