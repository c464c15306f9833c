import type { Evidence } from '../../core/telemetry-item.ts';
import { setBounded } from '../bounded-map.ts';
import { firstFailureOf, type Incident, join } from './incident.ts';

/** The last changes of each service, newest last. */
export type Changes = Map<string, readonly Evidence[]>;

export function rememberChange(changes: Changes, change: Evidence): void {
  const known = changes.get(change.service) ?? [];
  // The same deployment may be reported twice: by an event, and by the version in the telemetry.
  const before = known.at(-1)?.subject === change.subject ? known.slice(0, -1) : known;
  setBounded(changes, change.service, [...before, change].slice(-KEPT), MAX_SERVICES);
}

const MAX_SERVICES = 5_000;
/** Changes of one service. Only the last one explains failures; people see the others. */
const KEPT = 10;
/** The strength of a change halves every 10 minutes. After half an hour, it no longer joins an incident. */
const CHANGE_HALF_LIFE_MS = 10 * 60_000;
const CHANGE_MS = 30 * 60_000;

/** A change shortly before a service failed is evidence against it. */
export function joinChange(changes: Changes, incident: Incident, service: string, at: number): void {
  const change = changes.get(service)?.at(-1);
  const age = change === undefined ? Number.POSITIVE_INFINITY : at - change.at;
  const isBefore = change !== undefined && change.at <= firstFailureOf(incident.members.values());
  if (isBefore && age <= CHANGE_MS) {
    join(incident, { ...change, strength: 0.5 ** (Math.max(0, age) / CHANGE_HALF_LIFE_MS) }, at);
  }
}
