import type { Evidence } from '../../core/evidence.ts';
import type { LostSoFar } from '../../core/known-incident.ts';
import type { TaughtRequests } from '../../core/lesson.ts';
import type { Fate } from '../../core/telemetry-item.ts';
import { setBounded } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { ACCOUNTED, blamed, isSignificant, lastsUntil, lostOnTheWayFrom, seenAt, servicesOf } from '../evidence.ts';
import { addEvidence, type EvidenceSums, removeEvidence } from '../ranking/evidence-sums.ts';
import type { Candidate } from '../ranking/rank.ts';
import { COOLDOWN_MS, EVIDENCE_MS, LASTING, OUTLAST_MS } from './constants.ts';

/** Evidence of one fingerprint in an incident. */
export interface Member {
  /** The strongest so far, or the last of an account. The ranking uses it. */
  evidence: Evidence;
  firstAt: number;
  lastAt: number;
  /** When the failure that it reports last happened. */
  seenAt: number;
  /** How often it was found. */
  times: number;
  /** Whether it is in the sums: old evidence is not. */
  isCounted: boolean;
  /** What it taught when it was last beyond chance; null: it never was, or teaches nothing. */
  teaches: TaughtRequests | null;
}

export interface RootChange {
  readonly at: number;
  readonly root: string;
  readonly confidence: number;
}

export interface Incident {
  readonly number: number;
  readonly openedAt: number;
  /** When evidence of it was last found. */
  lastAt: number;
  readonly members: Map<string, Member>;
  /** Evidence that still counts, summed. */
  readonly sums: EvidenceSums;
  /** Alerts whose end has not been reported, by fingerprint. */
  readonly openAlerts: Set<string>;
  /** Traces that its evidence was seen in, newest last. */
  readonly traces: Traces;
  /** Whether any of its evidence reports no end and only stops coming. */
  hasTelemetry: boolean;
  root: string;
  confidence: number;
  candidates: readonly Candidate[];
  /** Every root that it had, first to last. */
  readonly history: RootChange[];
  /** The incident in which the same thing failed before, or null. Searched again when the root changes. */
  previous: number | null;
  mergedInto: number | null;
  /** The incident that its evidence was split from, or null. */
  readonly splitFrom: number | null;
  /** When an incident was last merged into it. null: never. */
  mergedAt: number | null;
  /** Fingerprints that came from incidents merged into it, by the number of each. */
  readonly absorbed: Map<number, readonly string[]>;
  /** Roots of the incidents that people merged into it, and places of its fate: what fails there is its failure too. */
  readonly otherRoots: Set<string>;
  /** What its root shares with other places that lose requests; null: its failure is that of one place. */
  fate: Fate | null;
  /** Services that waited for the root: on the paths of requests that were lost there, or by what their lines say. */
  readonly onTheWay: Set<string>;
  /** Numbers of incidents that people keep apart from it. */
  readonly apart: Set<number>;
  /** People merged another into it, so it is not split by itself. */
  isWhole: boolean;
  /** The sender whose failures beyond its limit it holds, whatever their cause. null: it is one failure. */
  floodOf: string | null;
  /** When its root was last blamed beyond any chance. null: no request says where its failure is. */
  blamedAt: number | null;
  /** Requests that it lost so far, see `countLost`; null: none is known. */
  lost: LostSoFar | null;
  /** When its root was last seen to fail, and to answer. */
  rootSeenAt: number;
  rootAnsweredAt: number;
  /** When somebody closed it, or null. */
  closedAt: number | null;
  /** How long after that its failure still belongs to it, if it goes on. */
  cooldownMs: number;
  /** When somebody opened it again, or null. */
  reopenedAt: number | null;
  activity: Activity;
  /** Longest time without evidence after which it went on. */
  longestPauseMs: number;
  /** Since when `activity` is what it is. */
  activeSince: number;
}

/** `quiet`: nothing was found for a while, and it is unknown whether it works. `recovered`: the root answers well. */
export type Activity = 'failing' | 'quiet' | 'recovered';

export function createIncident(number: number, at: number, root: string, splitFrom: number | null): Incident {
  return {
    number,
    openedAt: at,
    lastAt: at,
    members: new Map(),
    sums: new Map(),
    openAlerts: new Set(),
    traces: new Map(),
    hasTelemetry: false,
    root,
    confidence: 0,
    candidates: [],
    history: [],
    previous: null,
    mergedInto: null,
    splitFrom,
    mergedAt: null,
    absorbed: new Map(),
    otherRoots: new Set(),
    fate: null,
    onTheWay: new Set(),
    apart: new Set(),
    isWhole: false,
    floodOf: null,
    blamedAt: null,
    lost: null,
    rootSeenAt: at,
    rootAnsweredAt: Number.NEGATIVE_INFINITY,
    closedAt: null,
    cooldownMs: COOLDOWN_MS,
    reopenedAt: null,
    activity: 'failing',
    longestPauseMs: 0,
    activeSince: at,
  };
}

/** Joins evidence. @returns false: it says nothing new, the ranking stays */
export function join(incident: Incident, evidence: Evidence, at: number): boolean {
  const member = incident.members.get(evidence.fingerprint);
  if (evidence.hasEnded === true) {
    incident.openAlerts.delete(evidence.fingerprint);
    return false;
  }
  if (evidence.hasEnded === false) {
    incident.openAlerts.add(evidence.fingerprint);
  }
  incident.hasTelemetry ||= isTelemetry(evidence);
  if (isOwnBlame(incident, evidence)) {
    incident.blamedAt = Math.max(incident.blamedAt ?? at, at);
  }
  if (showsThatItLasts(incident, evidence)) {
    incident.lastAt = Math.max(incident.lastAt, lastsUntil(evidence, at));
  }
  if (blamed(evidence).includes(incident.root)) {
    incident.rootSeenAt = Math.max(incident.rootSeenAt, seenAt(evidence));
  }
  if (member === undefined && incident.members.size >= LIMITS.entries) {
    return false;
  }
  addTrace(incident.traces, evidence);
  const teaches = isSignificant(evidence) ? (evidence.teaches ?? null) : null;
  if (member === undefined) {
    incident.members.set(evidence.fingerprint, {
      evidence,
      firstAt: at,
      lastAt: lastsUntil(evidence, at),
      seenAt: seenAt(evidence),
      times: 1,
      isCounted: true,
      teaches,
    });
    addEvidence(incident.sums, evidence);
    return true;
  }
  member.times += 1;
  member.teaches = teaches ?? member.teaches;
  member.lastAt = Math.max(member.lastAt, lastsUntil(evidence, at));
  member.seenAt = Math.max(member.seenAt, seenAt(evidence));
  const isStronger =
    compareWorth(evidence, member.evidence) > 0 || (evidence.lost !== undefined && !isAfterthought(evidence, member));
  if (!isStronger && member.isCounted) {
    return false;
  }
  if (member.isCounted) {
    removeEvidence(incident.sums, member.evidence);
  }
  member.evidence = isStronger ? evidence : member.evidence;
  member.isCounted = true;
  addEvidence(incident.sums, member.evidence);
  return true;
}

/**
 * Counts of an account grow, so its last evidence counts. But a few requests lost later, which may be chance, do not stand
 * for a failure that was none.
 */
function isAfterthought(evidence: Evidence, { evidence: before }: Member): boolean {
  return evidence.since !== before.since && isSignificant(before) && !isSignificant(evidence);
}

/** The root is blamed, beyond any chance. */
export function isOwnBlame(incident: Incident, evidence: Evidence): boolean {
  return ACCOUNTED.has(evidence.family) && isSignificant(evidence) && isOwnAccount(incident, evidence);
}

/** Whether evidence shows that the failure lasts. An incident that is not failing fails again only at significance 1. */
function showsThatItLasts(incident: Incident, evidence: Evidence): boolean {
  if (incident.blamedAt !== null && !isOwnAccount(incident, evidence)) {
    return false;
  }
  const { significance = 1 } = evidence;
  return significance >= (incident.activity === 'failing' ? LASTING : 1);
}

/**
 * Whether evidence is an open alert or an account of a root. Only these show how long a failure that requests are
 * blamed on lasts; other evidence may have other causes.
 */
export function isOwnAccount({ root, otherRoots }: Incident, evidence: Evidence): boolean {
  const { family, service, hasEnded } = evidence;
  const isOfRoot = service === root || otherRoots.has(service) || lostOnTheWayFrom(evidence) === root;
  return hasEnded === false || (ACCOUNTED.has(family) && isOfRoot);
}

/** Whether something failed after its root had stopped failing, though the root still answers. */
export function outlastsRoot({ rootSeenAt, rootAnsweredAt }: Incident, at: number): boolean {
  return Math.min(at, rootAnsweredAt) - rootSeenAt >= OUTLAST_MS;
}

/** Compares strength times rarity, then the number of observations. */
function compareWorth(one: Evidence, other: Evidence): number {
  return one.strength * one.rarity - other.strength * other.rarity || one.count - other.count;
}

/** Computes `rootSeenAt` again and resets `rootAnsweredAt`, after the root changed. */
export function updateRootSeen(incident: Incident): void {
  const own = [...incident.members.values()].filter(({ evidence }) => blamed(evidence).includes(incident.root));
  incident.rootSeenAt = own.reduce((last, { seenAt: at }) => Math.max(last, at), incident.openedAt);
  incident.rootAnsweredAt = Number.NEGATIVE_INFINITY;
}

/** Takes old evidence out of the sums. @returns whether there was any */
export function forgetOld(incident: Incident, at: number): boolean {
  let hasChanged = false;
  for (const member of incident.members.values()) {
    if (member.isCounted && member.lastAt < at - EVIDENCE_MS) {
      removeEvidence(incident.sums, member.evidence);
      member.isCounted = false;
      hasChanged = true;
    }
  }
  return hasChanged;
}

/** Evidence of an alert ends when its sender says so; any other only stops coming. */
export function isTelemetry({ hasEnded, family }: Evidence): boolean {
  return hasEnded === null && family !== 'change';
}

/** When the failure first happened, as far as requests show. */
export function firstFailureOf(members: Iterable<Pick<Member, 'evidence'>>): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { evidence } of members) {
    first = Math.min(first, evidence.since ?? first);
  }
  return first;
}

/** Services of which evidence was seen, by trace id. */
export type Traces = Map<string, readonly string[]>;

export function addTrace(traces: Traces, evidence: Evidence): void {
  const { traceId } = evidence;
  if (traceId === null) {
    return;
  }
  const services = new Set([...(traces.get(traceId) ?? []), ...servicesOf(evidence)]);
  setBounded(traces, traceId, [...services], LIMITS.few);
}

/** Whether evidence of both services was seen in one trace. */
export function isLinked(traces: Traces, service: string, other: string): boolean {
  return [...traces.values()].some((services) => services.includes(service) && services.includes(other));
}
