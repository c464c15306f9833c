import type { Evidence } from '../../core/evidence.ts';
import type { Lesson } from '../../core/lesson.ts';
import { setBounded } from '../bounded-map.ts';
import { LIMITS, MINUTE_MS } from '../constants.ts';
import type { Neighbours } from '../graph/call-graph.ts';
import type { Changes } from './changes.ts';
import type { Incident } from './incident.ts';
import { createLiveIncidents, type LiveIncidents } from './incidents.ts';
import { type Bystanders, createBystanders, type PastIncident } from './past.ts';

export interface CorrelationState {
  nextNumber: number;
  readonly live: LiveIncidents;
  /** Evidence that has no incident yet, by fingerprint. */
  readonly waiting: Map<string, Evidence>;
  /** When each of them began to wait, by fingerprint. */
  readonly waitingSince: Map<string, number>;
  readonly past: PastIncident[];
  readonly bystanders: Bystanders;
  /** The last changes of each service. */
  readonly changes: Changes;
  readonly floods: Floods;
  /** What people taught about lines, metrics and roots, by id, the last one last. */
  readonly lessons: Map<string, Lesson>;
  /** Incidents whose ranking is older than their evidence. */
  readonly stale: Set<number>;
  /** Incidents that may turn out to be one failure with another: their root, their calls or the graph changed. */
  readonly unmatched: Set<number>;
  /** Version of the graph when `unmatched` was last filled from it. */
  graphVersion: number;
  sweptAt: number;
  checkedAt: number;
}

export type CorrelationEvent =
  | { readonly type: 'opened'; readonly at: number; readonly incident: Incident }
  | {
      readonly type: 'joined';
      readonly at: number;
      readonly incident: Incident;
      readonly fingerprints: readonly string[];
    }
  | { readonly type: 'root_changed'; readonly at: number; readonly incident: Incident; readonly from: string }
  /** `incident` is over: its evidence is in `into`. */
  | {
      readonly type: 'merged';
      readonly at: number;
      readonly incident: Incident;
      readonly into: Incident;
      /** A person decided it. */
      readonly isDecided: boolean;
    }
  /** Evidence of another failure moved from an incident to `incident`, which may have opened for it. */
  | {
      readonly type: 'split';
      readonly at: number;
      readonly incident: Incident;
      readonly from: Incident;
      readonly fingerprints: readonly string[];
      /** A person decided it. */
      readonly isDecided: boolean;
    }
  | { readonly type: 'activity'; readonly at: number; readonly incident: Incident };

/** What correlation gets for one slot. */
export interface Moment {
  readonly at: number;
  readonly evidence: readonly Evidence[];
  /** Number of requests that went well, by place. */
  readonly answers: ReadonlyMap<string, number>;
  readonly graph: Neighbours;
  /** Sureness of faults by service, see `Step`. Absent: there are none. */
  readonly odd?: ReadonlyMap<string, number>;
}

export function createCorrelationState(): CorrelationState {
  return {
    nextNumber: 1,
    live: createLiveIncidents(),
    waiting: new Map(),
    waitingSince: new Map(),
    past: [],
    bystanders: createBystanders(),
    changes: new Map(),
    floods: createFloods(),
    lessons: new Map(),
    stale: new Set(),
    unmatched: new Set(),
    graphVersion: 0,
    sweptAt: Number.NEGATIVE_INFINITY,
    checkedAt: Number.NEGATIVE_INFINITY,
  };
}

/** Evidence as it was at one moment, and the incident that had it then. */
export interface Placement {
  readonly incident: Incident;
  readonly evidence: Evidence;
}

/**
 * Where correlation has just put the evidence of a slot, and what waited for it or was moved. To be asked before the
 * next slot, which may put equal evidence into another incident.
 *
 * @param evidence what was found in the slot
 */
export function placementsOf(
  { live }: CorrelationState,
  evidence: readonly Evidence[],
  events: readonly CorrelationEvent[],
): Placement[] {
  const found = evidence.flatMap((one) => {
    const incident = live.byNumber.get(live.byFingerprint.get(one.fingerprint) ?? 0);
    return incident?.members.has(one.fingerprint) === true ? [{ incident, evidence: one }] : [];
  });
  const moved = events.flatMap((event) =>
    fingerprintsOf(event).flatMap((fingerprint) => {
      const member = event.incident.members.get(fingerprint);
      return member === undefined ? [] : [{ incident: event.incident, evidence: member.evidence }];
    }),
  );
  return [...moved, ...found];
}

function fingerprintsOf(event: CorrelationEvent): readonly string[] {
  switch (event.type) {
    case 'opened':
      return [...event.incident.members.keys()];
    case 'joined':
    case 'split':
      return event.fingerprints;
    case 'merged':
    case 'root_changed':
    case 'activity':
      return [];
  }
}

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
