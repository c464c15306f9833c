import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import { type Confirmation, confirmedIncident } from './incident.ts';
import { isReopened, isSameSnapshot, mergeSnapshot, type Snapshot } from './snapshot.ts';
import { URGENCY, type Urgency } from './urgency.ts';

/** The longest time between asking the service for many pages and storing the last of them. */
const LONGEST_READ_MS = 5 * 60_000;

export interface Observation {
  readonly urgency: Urgency;
  /** When the request was sent. A slow response must not undo a newer one, unless its `updated_at` is later. */
  readonly asOf: Date;
  /** The incident is probably not stored yet. */
  readonly isFirst?: boolean;
  /** Store the incident even if it is closed and was never seen open. */
  readonly storesClosed?: boolean;
  /** The source may be behind other sources, so an incident with an older `updated_at` is ignored. */
  readonly mayLag?: boolean;
}

/** The stored state of an incident. */
export interface IncidentState {
  /** The incident as the service last showed it. */
  readonly snapshot: Snapshot;
  readonly confirmations: readonly Confirmation[];
  /** The service no longer has it. */
  readonly isGone: boolean;
  /** Derived: the snapshot completed by the confirmations. */
  readonly incident: Snapshot;
  /** When the snapshot was requested. */
  readonly asOf: Date;
}

export function stateOf(facts: Omit<IncidentState, 'incident'>): IncidentState {
  return { ...facts, incident: confirmedIncident(facts.snapshot, facts.confirmations) };
}

/** A change of the stored state, and its urgency for the cards; null: no change. */
export type StateChange = { readonly state: IncidentState; readonly urgency: Urgency } | null;

/** Merges what the service showed into the stored state. */
export function observeIncident(
  before: IncidentState,
  incident: Incident | IncidentSummary,
  { urgency, asOf, mayLag = false }: Observation,
): StateChange {
  const after = mergeSnapshot(before.snapshot, incident);
  const isNew = before.isGone || !isSameSnapshot(before.snapshot, after);
  const isBehind = isLate(asOf, before.asOf) && !isOlder(before.snapshot, after);
  // A read may be asked for after a write, and be carried out before it. Only a service that was set back shows what is older for long.
  const mayBeOlder = mayLag || asOf.getTime() - before.asOf.getTime() < LONGEST_READ_MS;
  if (isBehind || (mayBeOlder && isOlder(after, before.snapshot)) || !isNew) {
    return null;
  }
  const confirmations = isReopened(before.snapshot, after) ? [] : before.confirmations;
  const isState = before.isGone || hasNewState(before.snapshot, after);
  return {
    state: stateOf({
      snapshot: after,
      confirmations,
      isGone: false,
      asOf: isLate(asOf, before.asOf) ? before.asOf : asOf,
    }),
    urgency: isState && urgency > URGENCY.state ? URGENCY.state : urgency,
  };
}

/** A write that the service confirmed with a 2xx. */
export interface ConfirmedWrite {
  readonly confirmation: Confirmation;
  /** When the incident was read before the write, and was not in that state. */
  readonly readAt: Date;
  /** When the write was sent. */
  readonly sentAt: Date;
  /** The incident that the service returned; null: it returned none. */
  readonly answer: Incident | null;
}

/**
 * Adds a confirmed write, and what the service returned. The write replaces a confirmation from before `readAt`, which
 * the service did not carry out.
 *
 * @returns `isFirst`: no other confirmation came first
 */
export function confirmWrite(
  before: IncidentState,
  { confirmation, readAt, sentAt, answer }: ConfirmedWrite,
): { readonly change: StateChange; readonly isFirst: boolean } {
  const earlier = before.confirmations.find(({ kind }) => kind === confirmation.kind);
  const isFirst = earlier === undefined || new Date(earlier.at) < readAt;
  const others = before.confirmations.filter(({ kind }) => kind !== confirmation.kind);
  const state = isFirst ? stateOf({ ...before, confirmations: [...others, confirmation] }) : before;
  const shown = answer && observeIncident(state, answer, { urgency: URGENCY.person, asOf: sentAt });
  return { change: shown ?? (isFirst ? { state, urgency: URGENCY.person } : null), isFirst };
}

/** Marks an incident that the service no longer has. */
export function loseIncident(before: IncidentState): StateChange {
  return before.isGone ? null : { state: { ...before, isGone: true }, urgency: URGENCY.state };
}

/** Whether the observation is older than the stored state. A time far in the future comes from a clock that was set back. */
function isLate(asOf: Date, knownAsOf: Date): boolean {
  const aheadMs = knownAsOf.getTime() - asOf.getTime();
  return aheadMs > 0 && aheadMs < LONGEST_READ_MS;
}

function isOlder(one: Incident, other: Incident): boolean {
  return (
    one.updated_at !== undefined &&
    other.updated_at !== undefined &&
    Date.parse(one.updated_at) < Date.parse(other.updated_at)
  );
}

function hasNewState(before: Incident, after: Incident): boolean {
  return before.status !== after.status || isAcknowledged(before) !== isAcknowledged(after);
}
