import type { Evidence } from '../../core/telemetry-item.ts';
import { addEvidence, type EvidenceSums, removeEvidence } from '../ranking/evidence-sums.ts';
import type { Candidate } from '../ranking/rank.ts';

/** Evidence of one fingerprint in an incident. */
export interface Member {
  /** Its strongest; what is ranked. */
  evidence: Evidence;
  readonly firstAt: number;
  lastAt: number;
  /** How often it was found. */
  times: number;
  /** Whether it is in the sums: old evidence is not. */
  isCounted: boolean;
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
  /** Alerts that their senders have not yet told to be over, by fingerprint. */
  readonly openAlerts: Set<string>;
  /** Whether some of it only stops coming when it is over. */
  hasTelemetry: boolean;
  root: string;
  confidence: number;
  candidates: readonly Candidate[];
  /** Every root that it had, first to last. */
  readonly history: RootChange[];
  /** The incident in which the same thing failed before, or null. */
  readonly previous: number | null;
  mergedInto: number | null;
  /** When somebody closed it, or null. */
  closedAt: number | null;
  activity: Activity;
  /** Since when `activity` is what it is. */
  activeSince: number;
}

/** `quiet`: nothing was found for a while, and nobody knows whether it works. `recovered`: the root answers well. */
export type Activity = 'failing' | 'quiet' | 'recovered';

/** Fingerprints of one incident; later ones are counted with the incident, not kept. */
const MAX_MEMBERS = 10_000;
/** Evidence older than this no longer says where the failure is now. */
export const EVIDENCE_MS = 5 * 60_000;

export function createIncident(number: number, at: number, root: string, previous: number | null): Incident {
  return {
    number,
    openedAt: at,
    lastAt: at,
    members: new Map(),
    sums: new Map(),
    openAlerts: new Set(),
    hasTelemetry: false,
    root,
    confidence: 0,
    candidates: [],
    history: [],
    previous,
    mergedInto: null,
    closedAt: null,
    activity: 'failing',
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
  incident.hasTelemetry ||= evidence.hasEnded === null && evidence.family !== 'change';
  incident.lastAt = Math.max(incident.lastAt, at);
  if (member === undefined) {
    if (incident.members.size >= MAX_MEMBERS) {
      return false;
    }
    incident.members.set(evidence.fingerprint, { evidence, firstAt: at, lastAt: at, times: 1, isCounted: true });
    addEvidence(incident.sums, evidence);
    return true;
  }
  member.times += 1;
  member.lastAt = Math.max(member.lastAt, at);
  const isStronger = compareWorth(evidence, member.evidence) > 0;
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

/** Of equally strong evidence, that of more observations says more. */
function compareWorth(one: Evidence, other: Evidence): number {
  return one.strength * one.rarity - other.strength * other.rarity || one.count - other.count;
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

/** Takes members out, to open an incident of their own. */
export function takeOut(incident: Incident, fingerprints: readonly string[]): Member[] {
  return fingerprints.flatMap((fingerprint) => {
    const member = incident.members.get(fingerprint);
    if (member === undefined) {
      return [];
    }
    incident.members.delete(fingerprint);
    incident.openAlerts.delete(fingerprint);
    if (member.isCounted) {
      removeEvidence(incident.sums, member.evidence);
    }
    return [member];
  });
}
