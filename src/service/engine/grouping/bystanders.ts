import type { Evidence } from '../../core/evidence.ts';
import { halveCounts, increase } from '../bounded-map.ts';
import { blamed } from '../evidence.ts';
import { LIMITS } from '../limits.ts';
import { BYSTANDER_SHARE, LEAST_INCIDENTS } from './constants.ts';

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
