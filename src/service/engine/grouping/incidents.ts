import type { Evidence } from '../../core/evidence.ts';
import { append, setBounded } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { isSignificant } from '../evidence.ts';
import type { Neighbours } from '../graph/call-graph.ts';
import { addEvidence, removeEvidence } from '../ranking/evidence-sums.ts';
import { addTrace, type Incident, isOwnAccount, isOwnBlame, isTelemetry, join, type Member } from './incident.ts';
import { addLost, type Counted, countLost } from './lost-requests.ts';
import { type FailingCalls, namedIn, type Reach, reachOf } from './reach.ts';

/** Incidents that may still take evidence, and the ways to find them. */
export interface LiveIncidents {
  readonly byNumber: Map<number, Incident>;
  readonly byFingerprint: Map<string, number>;
  /** The last incident that a trace was seen in; it may be gone. */
  readonly byTrace: Map<string, number>;
  /** Incidents whose failure may reach a service: it is the root, a victim or a suspect. */
  readonly byService: Map<string, number[]>;
  readonly byRoot: Map<string, number[]>;
  readonly reach: Map<number, Reach>;
  /** Shared by all incidents, since a call may be part of several failures. */
  readonly failingCalls: FailingCalls;
  /** What accounts reported last, so that each lost request counts for one incident. */
  readonly counted: Counted;
}

export function createLiveIncidents(): LiveIncidents {
  return {
    byNumber: new Map(),
    byFingerprint: new Map(),
    byTrace: new Map(),
    byService: new Map(),
    byRoot: new Map(),
    reach: new Map(),
    failingCalls: new Map(),
    counted: new Map(),
  };
}

export function addIncident(live: LiveIncidents, incident: Incident, graph: Neighbours): void {
  live.byNumber.set(incident.number, incident);
  updateReach(live, incident, graph);
}

/** Incidents that have one of the services as their root. */
export function incidentsAt({ byRoot, byNumber }: LiveIncidents, ...roots: readonly string[]): Incident[] {
  return roots.flatMap((root) => byRoot.get(root) ?? []).flatMap((number) => byNumber.get(number) ?? []);
}

export function oldestOf(incidents: readonly Incident[]): Incident | null {
  return incidents.toSorted((a, b) => a.number - b.number)[0] ?? null;
}

/** Joins evidence and remembers its home. @returns whether the ranking may change */
export function joinIncident(live: LiveIncidents, incident: Incident, evidence: Evidence, at: number): boolean {
  rememberHome(live, incident, evidence);
  reachOnTheWay(live, incident, evidence);
  if (isOwnAccount(incident, evidence)) {
    incident.lost = countLost(live.counted, incident.lost, evidence);
  }
  return join(incident, evidence, at);
}

/**
 * Services on the path of a lost request are victims, however far they are from the root, and so is one whose error line
 * names a victim.
 */
function reachOnTheWay(live: LiveIncidents, incident: Incident, evidence: Evidence): void {
  const { number, onTheWay } = incident;
  for (const service of waitersIn(live, incident, evidence)) {
    if (!onTheWay.has(service) && onTheWay.size < LIMITS.many) {
      onTheWay.add(service);
      addVictim(live, number, service);
    }
  }
}

function waitersIn({ reach }: LiveIncidents, { number, root }: Incident, evidence: Evidence): readonly string[] {
  const { lost, service } = evidence;
  if (lost !== undefined) {
    return service === root && isSignificant(evidence) ? lost.path.map((step) => step.service) : [];
  }
  const victims = reach.get(number)?.victims;
  return victims !== undefined && !victims.has(service) && [...namedIn(evidence)].some((name) => victims.has(name))
    ? [service]
    : [];
}

/** What is lost at the service is part of the incident, beside what is lost at its root. */
export function addOtherRoot(live: LiveIncidents, { number, otherRoots }: Incident, service: string): void {
  if (otherRoots.size < LIMITS.incidents) {
    otherRoots.add(service);
    addVictim(live, number, service);
  }
}

function addVictim(live: LiveIncidents, number: number, service: string): void {
  const reach = live.reach.get(number);
  if (reach === undefined) {
    return;
  }
  live.reach.set(number, { ...reach, victims: new Set([...reach.victims, service]) });
  if (!servicesIn(reach).has(service)) {
    append(live.byService, service, number);
  }
}

/** Moves evidence with its history from one incident to another. */
export function moveEvidence(live: LiveIncidents, from: Incident, to: Incident, fingerprints: readonly string[]): void {
  moveMembers(from, to, fingerprints);
  for (const fingerprint of fingerprints) {
    const member = to.members.get(fingerprint);
    if (member !== undefined) {
      rememberHome(live, to, member.evidence);
    }
  }
}

/** Ends an incident that is one failure with another. It keeps its evidence, for the record. */
export function mergeIncident(live: LiveIncidents, gone: Incident, into: Incident, at: number): void {
  for (const [fingerprint, member] of gone.members) {
    adopt(into, member, gone.openAlerts.has(fingerprint));
  }
  for (const [number, fingerprints] of gone.absorbed) {
    into.absorbed.set(number, fingerprints);
  }
  into.absorbed.set(gone.number, [...gone.members.keys()]);
  for (const root of gone.otherRoots) {
    into.otherRoots.add(root);
  }
  into.lost = addLost(into.lost, gone.lost);
  gone.mergedInto = into.number;
  into.mergedAt = at;
  removeIncident(live, gone);
  for (const { evidence } of gone.members.values()) {
    rememberHome(live, into, evidence);
  }
}

function rememberHome(live: LiveIncidents, { number }: Incident, { fingerprint, traceId, family }: Evidence): void {
  if (family !== 'change') {
    live.byFingerprint.set(fingerprint, number);
  }
  if (traceId !== null) {
    setBounded(live.byTrace, traceId, number, LIMITS.names);
  }
}

/** Computes again which services the failure reaches, after its root or the graph changed. */
export function updateReach(live: LiveIncidents, incident: Incident, graph: Neighbours): void {
  dropReach(live, incident.number);
  const reach = reachOf(incident.root, graph, [...incident.otherRoots, ...incident.onTheWay]);
  live.reach.set(incident.number, reach);
  append(live.byRoot, incident.root, incident.number);
  for (const service of servicesIn(reach)) {
    append(live.byService, service, incident.number);
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
  if (reach === undefined) {
    return;
  }
  live.reach.delete(number);
  drop(live.byRoot, reach.root, number);
  for (const service of servicesIn(reach)) {
    drop(live.byService, service, number);
  }
}

function servicesIn({ victims, suspects }: Reach): ReadonlySet<string> {
  return new Set([...victims, ...suspects]);
}

function drop(map: Map<string, number[]>, key: string, number: number): void {
  const left = (map.get(key) ?? []).filter((other) => other !== number);
  if (left.length === 0) {
    map.delete(key);
  } else {
    map.set(key, left);
  }
}

/** Adds a member of another incident with its history. */
export function adopt(incident: Incident, member: Member, isOpenAlert: boolean): void {
  const { evidence, firstAt, lastAt, times, isCounted } = member;
  const { fingerprint } = evidence;
  const known = incident.members.get(fingerprint);
  if (known === undefined) {
    incident.members.set(fingerprint, { ...member });
    if (isCounted) {
      addEvidence(incident.sums, evidence);
    }
  } else {
    known.firstAt = Math.min(known.firstAt, firstAt);
    known.lastAt = Math.max(known.lastAt, lastAt);
    known.seenAt = Math.max(known.seenAt, member.seenAt);
    known.times += times;
  }
  if (isOpenAlert) {
    incident.openAlerts.add(fingerprint);
  }
  addTrace(incident.traces, evidence);
  incident.hasTelemetry ||= isTelemetry(evidence);
  incident.lastAt = Math.max(incident.lastAt, lastAt);
  if (isOwnBlame(incident, evidence)) {
    incident.blamedAt = Math.max(incident.blamedAt ?? lastAt, lastAt);
  }
}

/** Moves members to another incident. */
function moveMembers(from: Incident, to: Incident, fingerprints: readonly string[]): void {
  for (const fingerprint of fingerprints) {
    const member = from.members.get(fingerprint);
    if (member !== undefined) {
      from.members.delete(fingerprint);
      if (member.isCounted) {
        removeEvidence(from.sums, member.evidence);
      }
      adopt(to, member, from.openAlerts.delete(fingerprint));
    }
  }
  const left = [...from.members.values()];
  from.hasTelemetry = left.some(({ evidence }) => isTelemetry(evidence));
  from.lastAt = left.reduce((last, { lastAt }) => Math.max(last, lastAt), from.openedAt);
}
