import type { IncidentEventType } from '../../contract/events.ts';
import type { Harm } from '../../contract/resources.ts';
import { MAIN_SYSTEM } from '../../contract/system.ts';
import { harmOf, type Incident } from './incident.ts';

/** A change of an incident. */
export interface IncidentEvent {
  readonly sequence: bigint;
  readonly id: string;
  readonly type: IncidentEventType;
  readonly occurredAt: Date;
  /** The incident right after the change. */
  readonly incident: EventIncident;
}

/** An incident at one moment: of its correlation only the harm. The rest and what it teaches may be long. */
export interface IncidentState extends Omit<Incident, 'correlation' | 'teachable' | 'ordinal'> {
  /** What people lost; null: no request is known to be lost. */
  readonly harm: Harm | null;
}

/** The event `incident.opened` has the correlation too, because receivers want it at once. */
export type EventIncident = IncidentState & Partial<Pick<Incident, 'correlation'>>;

/** The same after a round trip through JSON: times are text. */
export type IncidentSnapshot = WithTextTimes<Omit<IncidentState, 'labels' | 'harm' | 'system'>> & {
  /** Absent: the default one. */
  readonly system?: string;
  readonly correlation?: Incident['correlation'];
  /** Events from before incidents had labels lack them. */
  readonly labels?: IncidentState['labels'];
  /** Events from before this field have it only within the correlation, if at all. */
  readonly harm?: IncidentState['harm'];
};

type WithTextTimes<T> = T extends Date
  ? string
  : T extends object
    ? { readonly [K in keyof T]: WithTextTimes<T[K]> }
    : T;

export function stateOf(incident: Incident): IncidentState {
  return { ...lastingStateOf(incident), harm: harmOf(incident) };
}

/** Without the harm, which grows with every tick. */
export function lastingStateOf(incident: Incident): Omit<IncidentState, 'harm'> {
  const { correlation: _correlation, teachable: _teachable, ordinal: _ordinal, ...state } = incident;
  return state;
}

/** What an update is. When no mute applies any more, be it that the incident has changed, who was not told of it is told. */
export function updateOf(before: Incident, after: Incident): 'incident.unmuted' | 'incident.updated' {
  return before.mute !== null && after.mute === null ? 'incident.unmuted' : 'incident.updated';
}

export function eventIncidentOf(type: IncidentEventType, incident: Incident): EventIncident {
  const state = stateOf(incident);
  return type === 'incident.opened' ? { ...state, correlation: incident.correlation } : state;
}

export function readSnapshot(snapshot: IncidentSnapshot): EventIncident {
  const { openedAt, updatedAt, activeSince, lastSeenAt, signalsEndedAt, acknowledgement, closing } = snapshot;
  return {
    ...snapshot,
    system: snapshot.system ?? MAIN_SYSTEM,
    labels: snapshot.labels ?? [],
    harm: snapshot.harm ?? snapshot.correlation?.harm ?? null,
    openedAt: new Date(openedAt),
    updatedAt: new Date(updatedAt),
    activeSince: new Date(activeSince),
    lastSeenAt: new Date(lastSeenAt),
    signalsEndedAt: signalsEndedAt === null ? null : new Date(signalsEndedAt),
    acknowledgement: acknowledgement && { ...acknowledgement, at: new Date(acknowledgement.at) },
    closing: closing && { ...closing, at: new Date(closing.at) },
  };
}
