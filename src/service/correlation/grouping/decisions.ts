import type { Neighbours } from '../graph/call-graph.ts';
import type { CorrelationState } from './correlation-state.ts';
import { type Activity, createIncident, type Incident } from './incident.ts';
import { addIncident } from './incidents.ts';

/** What a person decided about incidents. Plain data: it is written to the log. */
export type Decision = { readonly kind: 'reopen'; readonly at: number; readonly incident: KnownIncident };

/** What is stored of an incident. Times in milliseconds since 1970. */
export interface KnownIncident {
  readonly number: number;
  readonly root: string;
  readonly openedAt: number;
  readonly lastAt: number;
  readonly activity: Activity;
  readonly activeSince: number;
}

/** Obeys a decision. */
export function decide(state: CorrelationState, decision: Decision, graph: Neighbours): void {
  const incident = follow(state, decision.incident, graph);
  incident.closedAt = null;
  incident.reopenedAt = decision.at;
}

/** The incident, also if it was forgotten: then what tells it from others is found by its root and its past. */
function follow(state: CorrelationState, known: KnownIncident, graph: Neighbours): Incident {
  const { live, past } = state;
  const followed = live.byNumber.get(known.number);
  if (followed !== undefined) {
    return followed;
  }
  const { number, root, openedAt, lastAt, activity, activeSince } = known;
  const incident = createIncident(number, openedAt, root, null);
  Object.assign(incident, { lastAt, activity, activeSince, hasTelemetry: activity !== 'recovered' });
  addIncident(live, incident, graph);
  const index = past.findIndex((other) => other.number === number);
  for (const fingerprint of past[index]?.fingerprints ?? []) {
    live.byFingerprint.set(fingerprint, number);
  }
  if (index >= 0) {
    past.splice(index, 1);
  }
  return incident;
}
