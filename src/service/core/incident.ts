import type { Correlation, IncidentStatus, Severity, SignalCounts, TimelineEntry } from '../../contract/resources.ts';
import { IncidentClosedError } from './errors.ts';

/** Most (folded) signals of one incident; what comes after stays unassigned. */
export const MAX_SIGNALS_PER_INCIDENT = 10_000;

export interface Incident {
  readonly id: string;
  /** For people: `#142`. */
  readonly number: number;
  readonly title: string;
  readonly severity: Severity;
  readonly rootService: string;
  readonly services: readonly string[];
  /** Signals, not their occurrences. */
  readonly signalCounts: SignalCounts;
  readonly correlation: Correlation;
  readonly openedAt: Date;
  readonly updatedAt: Date;
  /** When the last of its signals was over, as their senders say; null: one goes on, or its sender does not say. */
  readonly signalsEndedAt: Date | null;
  readonly acknowledgement: { readonly by: string; readonly at: Date } | null;
  /** null while the incident is open. */
  readonly closing: { readonly note: string; readonly by: string | null; readonly at: Date } | null;
  /** The closed incident of the same failure before this one, if any. */
  readonly previousIncidentId: string | null;
}

export type ClosedIncident = Pick<Incident, 'id' | 'number' | 'title'> & {
  readonly closing: NonNullable<Incident['closing']>;
};

export function statusOf({ closing }: Pick<Incident, 'closing'>): IncidentStatus {
  return closing === null ? 'open' : 'closed';
}

export function signalCountOf({ signalCounts: { trace, metric, log } }: Pick<Incident, 'signalCounts'>): number {
  return trace + metric + log;
}

/** @throws {IncidentClosedError} */
export function acknowledge(incident: Incident, user: string, now: Date): Incident {
  if (incident.closing !== null) {
    throw new IncidentClosedError(incident.id);
  }
  if (incident.acknowledgement !== null) {
    return incident; // the first one stays
  }
  return { ...incident, acknowledgement: { by: user, at: now }, updatedAt: now };
}

/**
 * The same note again changes nothing, so that a sender may repeat itself.
 *
 * @throws {IncidentClosedError} when it was closed with another note
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

/** What happened, oldest first. */
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
