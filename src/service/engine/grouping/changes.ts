import type { Evidence } from '../../core/evidence.ts';
import { setBounded } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { CHANGE_HALF_LIFE_MS, CHANGE_MS, MOST_SHOWN } from './constants.ts';
import { firstFailureOf, type Incident, join } from './incident.ts';

/** The last changes of each service, newest last. */
export type Changes = Map<string, readonly Evidence[]>;

export function rememberChange(changes: Changes, change: Evidence): void {
  const known = changes.get(change.service) ?? [];
  // The same deployment may be reported twice: by an event, and by the version in the telemetry.
  const before = known.at(-1)?.subject === change.subject ? known.slice(0, -1) : known;
  setBounded(changes, change.service, [...before, change].slice(-MOST_SHOWN), LIMITS.services);
}

/** A change shortly before a service failed is evidence against it. */
export function joinChange(changes: Changes, incident: Incident, service: string, at: number): void {
  const change = changes.get(service)?.at(-1);
  const age = change === undefined ? Number.POSITIVE_INFINITY : at - change.at;
  const isBefore = change !== undefined && change.at <= firstFailureOf(incident.members.values());
  if (isBefore && age <= CHANGE_MS) {
    join(incident, { ...change, strength: 0.5 ** (Math.max(0, age) / CHANGE_HALF_LIFE_MS) }, at);
  }
}
