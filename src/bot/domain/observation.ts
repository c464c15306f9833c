import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { type Confirmation, confirmedIncident, isAcknowledged } from './incident.ts';
import { isReopened, isSameSnapshot, mergeSnapshot } from './snapshot.ts';
import { URGENCY, type Urgency } from './urgency.ts';

/** The longest time between asking the service for many pages and storing the last of them. */
const LONGEST_READ_MS = 5 * 60_000;

export interface Observation {
  readonly urgency: Urgency;
  /** When the service was asked. A slow answer must not undo a newer one. */
  readonly asOf: Date;
  /** Store it even if it is closed and was never seen open. */
  readonly isNews?: boolean;
  /** It came by a way that may be slower than the others: `updated_at` decides. */
  readonly mayLag?: boolean;
}

/** What is known of an incident. */
export interface IncidentState {
  /** As the service last showed it. */
  readonly snapshot: Incident;
  readonly confirmations: readonly Confirmation[];
  /** The service no longer has it. */
  readonly isGone: boolean;
  /** Computed: the snapshot completed by the confirmations. */
  readonly incident: Incident;
  /** When the service was asked for the snapshot. */
  readonly asOf: Date;
}

export function stateOf(facts: Omit<IncidentState, 'incident'>): IncidentState {
  return { ...facts, incident: confirmedIncident(facts.snapshot, facts.confirmations) };
}

/** A change of what is known, and how urgent it is for the cards; null: none. */
export type StateChange = { readonly state: IncidentState; readonly urgency: Urgency } | null;

/** What the service showed, laid over what is known. */
export function observeIncident(
  before: IncidentState,
  incident: Incident | IncidentSummary,
  { urgency, asOf, mayLag = false }: Observation,
): StateChange {
  const after = mergeSnapshot(before.snapshot, incident);
  const isNew = before.isGone || !isSameSnapshot(before.snapshot, after);
  if (isLate(asOf, before.asOf) || (mayLag && isOlder(after, before.snapshot)) || !isNew) {
    return null;
  }
  const confirmations = isReopened(before.snapshot, after) ? [] : before.confirmations;
  const isState = before.isGone || hasNewState(before.snapshot, after);
  return {
    state: stateOf({ snapshot: after, confirmations, isGone: false, asOf }),
    urgency: isState && urgency > URGENCY.state ? URGENCY.state : urgency,
  };
}

/**
 * A write that the service confirmed. It replaces a confirmation from before `readAt`, which the service did not carry
 * out: it was asked then, before the write, and showed nothing of the kind.
 */
export function confirmWrite(before: IncidentState, confirmation: Confirmation, readAt: Date): StateChange {
  const earlier = before.confirmations.find(({ kind }) => kind === confirmation.kind);
  if (earlier !== undefined && new Date(earlier.at) >= readAt) {
    return null;
  }
  const others = before.confirmations.filter(({ kind }) => kind !== confirmation.kind);
  return { state: stateOf({ ...before, confirmations: [...others, confirmation] }), urgency: URGENCY.person };
}

/** The service no longer has it. */
export function loseIncident(before: IncidentState): StateChange {
  return before.isGone ? null : { state: { ...before, isGone: true }, urgency: URGENCY.state };
}

/** Asked for before what is known was. A time far ahead is from a clock that was set back since. */
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
