import type { Incident } from './incident.ts';

/** An incident as it was at one moment; how its signals were correlated is left out, since that may be long. */
export type IncidentState = Omit<Incident, 'correlation'>;

/** The same as JSON gives it back: times are text. */
export type IncidentSnapshot = Timeless<IncidentState>;

type Timeless<T> = T extends Date ? string : T extends object ? { readonly [K in keyof T]: Timeless<T[K]> } : T;

export function stateOf({ correlation: _correlation, ...state }: Incident): IncidentState {
  return state;
}

export function readSnapshot(snapshot: IncidentSnapshot): IncidentState {
  const { openedAt, updatedAt, signalsEndedAt, acknowledgement, closing } = snapshot;
  return {
    ...snapshot,
    openedAt: new Date(openedAt),
    updatedAt: new Date(updatedAt),
    signalsEndedAt: signalsEndedAt ? new Date(signalsEndedAt) : null, // left out by the versions before it was
    acknowledgement: acknowledgement && { ...acknowledgement, at: new Date(acknowledgement.at) },
    closing: closing && { ...closing, at: new Date(closing.at) },
  };
}
