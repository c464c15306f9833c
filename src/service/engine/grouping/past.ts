import type { Evidence } from '../../core/evidence.ts';
import type { KnownIncident } from '../../core/known-incident.ts';
import { ACCOUNTED } from '../evidence.ts';
import { LIMITS } from '../limits.ts';
import { sharesOf } from '../ranking/rank.ts';
import { type Bystanders, learnBystanders } from './bystanders.ts';
import { RARE } from './constants.ts';
import type { Incident } from './incident.ts';

/** A past incident, reduced to what shows whether another is the same failure. */
export interface PastIncident {
  readonly number: number;
  readonly root: string;
  readonly fingerprints: ReadonlySet<string>;
  /** To follow it again when its failure comes back. null, or absent in the state of an earlier release: it is closed. */
  open?: KnownIncident | null;
}

/** What is kept of incidents that are over. */
interface Memory {
  readonly past: PastIncident[];
  readonly bystanders: Bystanders;
}

export function remember({ past, bystanders }: Memory, incident: Incident): void {
  if (incident.floodOf === null) {
    learnBystanders(bystanders, likelyRoots(incident), evidenceOf(incident));
  }
  past.push(asPast(incident));
  if (past.length > LIMITS.incidents) {
    past.shift();
  }
}

/** How likely each service is the root: of one that requests were followed to, that is known better than from scores. */
function likelyRoots({ root, confidence, candidates, blamedAt }: Incident): Map<string, number> {
  return blamedAt === null ? sharesOf(candidates) : new Map([[root, confidence]]);
}

export function asPast(incident: Incident): PastIncident {
  const { lost, other } = tellingOf(incident.root, evidenceOf(incident));
  return {
    number: incident.number,
    root: incident.root,
    fingerprints: new Set([...lost, ...other]),
    open: incident.closedAt === null && incident.floodOf === null ? knownOf(incident) : null,
  };
}

function knownOf({
  number,
  root,
  openedAt,
  lastAt,
  activity,
  activeSince,
  lost,
  hasTelemetry,
}: Incident): KnownIncident {
  return { number, root, openedAt, lastAt, activity, activeSince, hasTelemetry, ...(lost !== null && { lost }) };
}

/** It was closed, or is part of another. */
export function markClosed(past: readonly PastIncident[], number: number): void {
  const incident = past.find((each) => each.number === number);
  if (incident !== undefined) {
    incident.open = null;
  }
}

export function evidenceOf({ members }: Incident): Evidence[] {
  return [...members.values()].map(({ evidence }) => evidence);
}

/**
 * Earlier incidents in which a root failed in the same way. Lost requests do not show how it failed, so they count only if
 * there is no other evidence.
 */
export function findSimilar(past: readonly PastIncident[], root: string, evidence: readonly Evidence[]): number[] {
  const { lost, other } = tellingOf(root, evidence);
  const telling = other.length === 0 ? lost : other;
  return past.flatMap(({ number, root: earlier, fingerprints }) =>
    earlier === root && telling.some((fingerprint) => fingerprints.has(fingerprint)) ? [number] : [],
  );
}

/** Fingerprints that show how the root failed. */
function tellingOf(root: string, evidence: readonly Evidence[]) {
  const telling = evidence.filter((found) => isTelling(found, root));
  const bounded = (isLost: boolean) =>
    telling
      .filter(({ family }) => ACCOUNTED.has(family) === isLost)
      .slice(0, LIMITS.perPlace)
      .map(({ fingerprint }) => fingerprint);
  return { lost: bounded(true), other: bounded(false) };
}

/** A failure shows at its root, not in the generic error of the service at the edge. */
function isTelling({ service, peer, rarity, family }: Evidence, root: string): boolean {
  return rarity >= RARE && family !== 'change' && (service === root || peer === root);
}
