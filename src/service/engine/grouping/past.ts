import type { Evidence } from '../../core/evidence.ts';
import type { KnownIncident } from '../../core/known-incident.ts';
import { halveCounts, increase } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { ACCOUNTED, blamed } from '../evidence.ts';
import { sharesOf } from '../ranking/rank.ts';
import { BYSTANDER_SHARE, LEAST_INCIDENTS, RARE } from './constants.ts';
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

/**
 * Alerts in past incidents that were not about the root: one at the edge may fire whatever fails. Other evidence is found
 * by the engine, which knows how often it is usual.
 */
export interface Bystanders {
  /** Number of past incidents. */
  total: number;
  /** The same, by root. One that was found unsurely counts in part, and so do the others. */
  readonly byRoot: Map<string, number>;
  /** In how many of them the alert was about other services than the root, by fingerprint. */
  readonly seen: Map<string, number>;
}

export function createBystanders(): Bystanders {
  return { total: 0, byRoot: new Map(), seen: new Map() };
}

/**
 * Learns from the evidence of an incident that is over.
 *
 * @param roots how likely each service is its root, with a sum of at most 1: a guess that counted in full would confirm
 *   itself
 */
export function learnBystanders(
  bystanders: Bystanders,
  roots: ReadonlyMap<string, number>,
  evidence: Iterable<Evidence>,
): void {
  const { byRoot, seen } = bystanders;
  bystanders.total += 1;
  for (const [root, share] of roots) {
    increase(byRoot, root, share, LIMITS.services);
  }
  for (const found of evidence) {
    const others = 1 - sumOver(roots, blamed(found));
    if (found.origin === 'alert' && others > 0) {
      increase(seen, found.fingerprint, others, LIMITS.names);
    }
  }
  if (bystanders.total > LIMITS.incidents) {
    bystanders.total /= 2;
    halveCounts(byRoot);
    halveCounts(seen);
  }
}

/**
 * Makes an alert less rare that fired in incidents of other roots. Incidents of the service that it is about do not
 * count, so one that fails often is not taken for a bystander.
 */
export function discountBystander({ total, byRoot, seen }: Bystanders, evidence: Evidence): Evidence {
  const times = evidence.origin === 'alert' ? seen.get(evidence.fingerprint) : undefined;
  if (times === undefined) {
    return evidence;
  }
  const own = sumOver(byRoot, blamed(evidence));
  const share = times / Math.max(total - own, times, LEAST_INCIDENTS);
  return { ...evidence, rarity: evidence.rarity / (1 + share / BYSTANDER_SHARE) };
}

function sumOver(counts: ReadonlyMap<string, number>, keys: readonly string[]): number {
  return keys.reduce((sum, key) => sum + (counts.get(key) ?? 0), 0);
}
