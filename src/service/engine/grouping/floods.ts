import type { Evidence } from '../../core/evidence.ts';
import { setBounded } from '../bounded-map.ts';
import { LIMITS } from '../limits.ts';
import { MINUTE_MS } from './constants.ts';

/**
 * Senders of failures, and how many incidents each opens. A sender that reports many different failures at once gets
 * one incident for all that are beyond its limit, so that it cannot bury those of the others.
 */
export interface Floods {
  /** When incidents of a sender opened in the last minute, oldest first. */
  readonly openings: Map<string, number[]>;
  /** The incident that holds the rest of a sender's failures. */
  readonly incidents: Map<string, number>;
}

export function createFloods(): Floods {
  return { openings: new Map(), incidents: new Map() };
}

/**
 * Counts an opening.
 *
 * @param evidence of the incident that opens
 * @returns the sender when all of the evidence is of one that has opened too many incidents within a minute, else null
 */
export function findFlood(floods: Floods, evidence: readonly Evidence[], at: number): string | null {
  const [sender = '', ...others] = new Set(evidence.map((each) => each.sender));
  if (sender === '' || others.length > 0) {
    return null;
  }
  const recent = (floods.openings.get(sender) ?? []).filter((opened) => at - opened < MINUTE_MS);
  const isFlood = recent.length >= LIMITS.many;
  setBounded(floods.openings, sender, isFlood ? recent : [...recent, at], LIMITS.entries);
  return isFlood ? sender : null;
}
