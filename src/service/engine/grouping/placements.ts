import type { Evidence } from '../../core/evidence.ts';
import type { CorrelationEvent, CorrelationState } from './correlation-state.ts';
import type { Incident } from './incident.ts';

/** Evidence as it was at one moment, and the incident that had it then. */
export interface Placement {
  readonly incident: Incident;
  readonly evidence: Evidence;
}

/**
 * Where correlation has just put the evidence of a slot, and what waited for it or was moved. To be asked before the
 * next slot, which may put equal evidence into another incident.
 *
 * @param evidence what was found in the slot
 */
export function placementsOf(
  { live }: CorrelationState,
  evidence: readonly Evidence[],
  events: readonly CorrelationEvent[],
): Placement[] {
  const found = evidence.flatMap((one) => {
    const incident = live.byNumber.get(live.byFingerprint.get(one.fingerprint) ?? 0);
    return incident?.members.has(one.fingerprint) === true ? [{ incident, evidence: one }] : [];
  });
  const moved = events.flatMap((event) =>
    fingerprintsOf(event).flatMap((fingerprint) => {
      const member = event.incident.members.get(fingerprint);
      return member === undefined ? [] : [{ incident: event.incident, evidence: member.evidence }];
    }),
  );
  return [...moved, ...found];
}

function fingerprintsOf(event: CorrelationEvent): readonly string[] {
  switch (event.type) {
    case 'opened':
      return [...event.incident.members.keys()];
    case 'joined':
    case 'split':
      return event.fingerprints;
    case 'merged':
    case 'root_changed':
    case 'activity':
      return [];
  }
}
