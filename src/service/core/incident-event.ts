import type { IncidentEventType } from '../../contract/events.ts';
import type { Incident } from './incident.ts';

/** A change of an incident. */
export interface IncidentEvent {
  readonly sequence: bigint;
  readonly id: string;
  readonly type: IncidentEventType;
  readonly occurredAt: Date;
  /** The incident right after the change. */
  readonly incident: EventIncident;
}

/** An incident at one moment, without its correlation and what it teaches, which may be long. */
export type IncidentState = Omit<Incident, 'correlation' | 'teachable'>;

/** Of `incident.opened` with its correlation, because receivers want it at once. */
export type EventIncident = IncidentState & Partial<Pick<Incident, 'correlation'>>;

/** The same after a round trip through JSON: times are text. */
export type IncidentSnapshot = WithTextTimes<Omit<IncidentState, 'labels'>> & {
  readonly correlation?: Incident['correlation'];
  /** Events from before incidents had labels lack them. */
  readonly labels?: IncidentState['labels'];
};

type WithTextTimes<T> = T extends Date
  ? string
  : T extends object
    ? { readonly [K in keyof T]: WithTextTimes<T[K]> }
    : T;

export function stateOf({ correlation: _correlation, teachable: _teachable, ...state }: Incident): IncidentState {
  return state;
}

export function eventIncidentOf(type: IncidentEventType, incident: Incident): EventIncident {
  return type === 'incident.opened' ? incident : stateOf(incident);
}

export function readSnapshot(snapshot: IncidentSnapshot): EventIncident {
  const { openedAt, updatedAt, activeSince, lastSeenAt, signalsEndedAt, acknowledgement, closing } = snapshot;
  return {
    ...snapshot,
    labels: snapshot.labels ?? [],
    openedAt: new Date(openedAt),
    updatedAt: new Date(updatedAt),
    activeSince: new Date(activeSince),
    lastSeenAt: new Date(lastSeenAt),
    signalsEndedAt: signalsEndedAt === null ? null : new Date(signalsEndedAt),
    acknowledgement: acknowledgement && { ...acknowledgement, at: new Date(acknowledgement.at) },
    closing: closing && { ...closing, at: new Date(closing.at) },
  };
}
