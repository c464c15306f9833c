import type { Evidence, Family } from '../../core/telemetry-item.ts';
import type { Neighbours } from '../graph/call-graph.ts';
import type { EngineSettings } from '../settings.ts';
import { type Incident, join } from './incident.ts';
import { type Reach, reachOf, servicesOf } from './reach.ts';

/** Incidents that may still take evidence, and the ways to find them. */
export interface LiveIncidents {
  readonly byNumber: Map<number, Incident>;
  readonly byFingerprint: Map<string, number>;
  /** Incidents whose failure reaches a service, oldest first. */
  readonly byService: Map<string, number[]>;
  readonly reach: Map<number, Reach>;
}

export function createLiveIncidents(): LiveIncidents {
  return { byNumber: new Map(), byFingerprint: new Map(), byService: new Map(), reach: new Map() };
}

/** The incident that evidence belongs to, or null. The oldest where several fit. */
export function findHome(
  live: LiveIncidents,
  evidence: Evidence,
  at: number,
  settings: EngineSettings,
): Incident | null {
  const known = live.byFingerprint.get(evidence.fingerprint);
  const byFingerprint = known === undefined ? undefined : live.byNumber.get(known);
  if (byFingerprint !== undefined && takes(byFingerprint, evidence, at, settings)) {
    return byFingerprint;
  }
  const numbers = new Set(servicesOf(evidence).flatMap((service) => live.byService.get(service) ?? []));
  const fitting = [...numbers]
    .flatMap((number) => live.byNumber.get(number) ?? [])
    .filter((incident) => takes(incident, evidence, at, settings) && reaches(live, incident, evidence, at, settings));
  return fitting.toSorted((a, b) => a.number - b.number)[0] ?? null;
}

function takes(incident: Incident, evidence: Evidence, at: number, settings: EngineSettings): boolean {
  const { lastAt, openedAt, closedAt, activity, root, openAlerts } = incident;
  if (openAlerts.has(evidence.fingerprint)) {
    return true;
  }
  if (closedAt !== null) {
    return (evidence.seenAt ?? at) - closedAt <= settings.cooldownMs;
  }
  // Once the root works again, what fails at its victims has another cause.
  const isOver = activity === 'recovered' && !blamed(evidence).includes(root);
  const isAlive = openAlerts.size > 0 || at - lastAt <= settings.gapMs;
  return !isOver && isAlive && at - openedAt <= settings.maxAgeMs;
}

/** A failing call speaks of its callee: that it also fails for a victim says nothing. */
function blamed(evidence: Evidence): readonly string[] {
  const { family, peer } = evidence;
  return family === 'failed_calls' && peer !== null ? [peer] : servicesOf(evidence);
}

function reaches(
  live: LiveIncidents,
  incident: Incident,
  evidence: Evidence,
  at: number,
  { settleMs }: EngineSettings,
): boolean {
  const reach = live.reach.get(incident.number);
  if (reach === undefined) {
    return false;
  }
  const isSettling = at - incident.openedAt <= settleMs;
  const services = servicesOf(evidence);
  if (!isSettling && CAUSES.has(evidence.family) && !services.includes(incident.root)) {
    return false;
  }
  return blamed(evidence).some((service) => reach.victims.has(service) || (isSettling && reach.suspects.has(service)));
}

/** What a failing callee does not do to its caller: seen at a victim later on, it is a failure of its own. */
const CAUSES: ReadonlySet<Family> = new Set(['resource', 'self_time', 'log_stopped', 'network_gap', 'change']);

export function addIncident(live: LiveIncidents, incident: Incident, graph: Neighbours): void {
  live.byNumber.set(incident.number, incident);
  updateReach(live, incident, graph);
}

/** Joins evidence and remembers its home. @returns whether the ranking may change */
export function joinIncident(live: LiveIncidents, incident: Incident, evidence: Evidence, at: number): boolean {
  live.byFingerprint.set(evidence.fingerprint, incident.number);
  return join(incident, evidence, at);
}

/** Finds anew whom the failure reaches, after its root or the graph changed. */
export function updateReach(live: LiveIncidents, incident: Incident, graph: Neighbours): void {
  dropReach(live, incident.number);
  const reach = reachOf(incident.root, graph);
  live.reach.set(incident.number, reach);
  for (const service of new Set([...reach.victims, ...reach.suspects])) {
    const numbers = live.byService.get(service);
    if (numbers === undefined) {
      live.byService.set(service, [incident.number]);
    } else {
      numbers.push(incident.number);
    }
  }
}

export function removeIncident(live: LiveIncidents, { number, members }: Incident): void {
  dropReach(live, number);
  live.byNumber.delete(number);
  for (const fingerprint of members.keys()) {
    if (live.byFingerprint.get(fingerprint) === number) {
      live.byFingerprint.delete(fingerprint);
    }
  }
}

function dropReach(live: LiveIncidents, number: number): void {
  const reach = live.reach.get(number);
  live.reach.delete(number);
  for (const service of new Set([...(reach?.victims ?? []), ...(reach?.suspects ?? [])])) {
    const left = (live.byService.get(service) ?? []).filter((other) => other !== number);
    if (left.length === 0) {
      live.byService.delete(service);
    } else {
      live.byService.set(service, left);
    }
  }
}
