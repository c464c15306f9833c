import type { Evidence } from '../../core/telemetry-item.ts';
import { setBounded } from '../bounded-map.ts';
import { type Incident, join } from './incident.ts';

/** The last change of each service. */
export type Changes = Map<string, Evidence>;

export function rememberChange(changes: Changes, change: Evidence): void {
  setBounded(changes, change.service, change, MAX_CHANGES);
}

const MAX_CHANGES = 5_000;
/** A change half as long ago weighs twice as much; one of half an hour ago is forgotten. */
const CHANGE_HALF_LIFE_MS = 10 * 60_000;
const CHANGE_MS = 30 * 60_000;

/** A change shortly before a service failed is evidence against it. */
export function joinChange(changes: Changes, incident: Incident, service: string, at: number): void {
  const change = changes.get(service);
  const age = change === undefined ? Number.POSITIVE_INFINITY : at - change.at;
  if (change !== undefined && age <= CHANGE_MS) {
    join(incident, { ...change, strength: 0.5 ** (Math.max(0, age) / CHANGE_HALF_LIFE_MS) }, at);
  }
}
