import {
  type Activity,
  type Correlation,
  type FailingCall,
  type IncidentStatus,
  type RootChange,
  type Severity,
  SIGNAL_TYPES,
  type SignalCounts,
  type SignalType,
  type TimelineEntry,
} from '../../contract/resources.ts';
import { IncidentClosedError } from './errors.ts';
import { createId } from './ids.ts';

/** Maximum number of folded signals in one incident. Further ones stay without an incident. */
export const MAX_SIGNALS_PER_INCIDENT = 10_000;

export interface Incident {
  readonly id: string;
  /** Shown to people as `#142`. */
  readonly number: number;
  readonly title: string;
  readonly severity: Severity;
  readonly rootService: string;
  readonly services: readonly string[];
  /** Counts signals, not occurrences. */
  readonly signalCounts: SignalCounts;
  readonly correlation: Correlation;
  readonly openedAt: Date;
  readonly updatedAt: Date;
  /** End of the last signal, as reported by the senders; null while one goes on or its sender reports no end. */
  readonly signalsEndedAt: Date | null;
  readonly acknowledgement: { readonly by: string; readonly at: Date } | null;
  /** null while the incident is open. */
  readonly closing: { readonly note: string; readonly by: string | null; readonly at: Date } | null;
  /** The previous incident of the same failure. */
  readonly previousIncidentId: string | null;
  /** Numbers of earlier incidents of the same failure, newest first, at most ten. */
  readonly similarNumbers: readonly number[];
  readonly activity: Activity;
  /** Since when `activity` is what it is. */
  readonly activeSince: Date;
  /** When its failure was last seen. */
  readonly lastSeenAt: Date;
  /** Which calls fail, the most failures first. */
  readonly impact: readonly FailingCall[];
  /** Oldest first. */
  readonly rootChanges: readonly RootChange[];
  /** Id of the incident that it turned out to be part of. */
  readonly mergedInto: string | null;
}

export type ClosedIncident = Pick<Incident, 'id' | 'number' | 'title'> & {
  readonly closing: NonNullable<Incident['closing']>;
};

export function statusOf({ closing }: Pick<Incident, 'closing'>): IncidentStatus {
  return closing === null ? 'open' : 'closed';
}

export function signalCountOf({ signalCounts }: Pick<Incident, 'signalCounts'>): number {
  return Object.values(signalCounts).reduce((sum, count) => sum + count, 0);
}

/** @param types of the signals to count */
export function countByType(types: readonly SignalType[]): SignalCounts {
  const count = (type: SignalType) => types.filter((each) => each === type).length;
  return Object.fromEntries(SIGNAL_TYPES.map((type) => [type, count(type)])) as SignalCounts; // one entry per type
}

/** @throws {IncidentClosedError} */
export function acknowledge(incident: Incident, user: string, now: Date): Incident {
  if (incident.closing !== null) {
    throw new IncidentClosedError(incident.id);
  }
  if (incident.acknowledgement !== null) {
    return incident; // the first acknowledgement stays
  }
  return { ...incident, acknowledgement: { by: user, at: now }, updatedAt: now };
}

/**
 * Closes the incident. Repeating the request with the same note changes nothing.
 *
 * @throws {IncidentClosedError} when it was closed with a different note
 */
export function resolve(incident: Incident, note: string, user: string | null, now: Date): Incident {
  if (incident.closing === null) {
    return { ...incident, closing: { note, by: user, at: now }, updatedAt: now };
  }
  if (incident.closing.note !== note) {
    throw new IncidentClosedError(incident.id);
  }
  return incident;
}

/** Oldest first. */
export function timelineOf({ openedAt, acknowledgement, closing }: Incident): TimelineEntry[] {
  const timeline: TimelineEntry[] = [{ at: openedAt.toISOString(), event: 'opened' }];
  if (acknowledgement !== null) {
    timeline.push({ at: acknowledgement.at.toISOString(), event: 'acknowledged', by: acknowledgement.by });
  }
  if (closing !== null) {
    const by = closing.by === null ? {} : { by: closing.by };
    timeline.push({ at: closing.at.toISOString(), event: 'closed', ...by });
  }
  return timeline;
}

/** A new incident before its signals are known. */
export function newIncident(
  number: number,
  rootService: string,
  previousIncidentId: string | null,
  at: Date,
): Incident {
  return {
    id: createId('inc', at),
    number,
    title: '',
    severity: 'error',
    rootService,
    services: [rootService],
    signalCounts: countByType([]),
    correlation: {
      method: '',
      confidence: 0,
      services: [],
      edges: [],
      window: { from: at.toISOString(), to: at.toISOString() },
      evidence: [],
    },
    openedAt: at,
    updatedAt: at,
    signalsEndedAt: null,
    acknowledgement: null,
    closing: null,
    previousIncidentId,
    similarNumbers: [],
    activity: 'failing',
    activeSince: at,
    lastSeenAt: at,
    impact: [],
    rootChanges: [],
    mergedInto: null,
  };
}
