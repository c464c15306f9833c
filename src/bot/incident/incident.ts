import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import type { IncidentId } from '../slack/identifiers.ts';
import type { KnownPerson } from '../slack/person.ts';
import { isReopened, type Snapshot } from './snapshot.ts';

/** A write of the bot that the service confirmed with a 2xx. */
export type Confirmation =
  | { readonly kind: 'acknowledge'; readonly user: string; readonly at: string }
  | { readonly kind: 'resolve'; readonly user: string; readonly at: string; readonly note: string };

/** An action that the service has not confirmed yet. */
export interface WaitingAction {
  /** See `ActionTypes`. */
  readonly kind: string;
  readonly user: string;
}

export interface KnownIncident {
  /** The state that the service shows, completed by confirmed writes. */
  readonly incident: Snapshot;
  /** The service no longer has it. */
  readonly isGone: boolean;
  /** The service no longer lists it as open, and it could not be read since. */
  readonly isUnread: boolean;
  readonly waiting: readonly WaitingAction[];
  /** Number of signals when it was first seen. */
  readonly firstSignalCount: number;
  /** The previous incident and the one that it was merged into, as far as they are known. */
  readonly related: readonly Snapshot[];
  /** Those of the people named in it whom Slack knows. A name that several people have is left out. */
  readonly people: readonly KnownPerson[];
}

/** How an earlier incident with the same root service was fixed. */
export interface PastFix {
  readonly incidentId: IncidentId;
  readonly note: string;
  readonly by: string | null;
  readonly closedAt: Date;
}

type Acknowledgeable = Pick<IncidentSummary, 'acknowledged' | 'acknowledged_at' | 'acknowledged_by'>;

/** Whether an acknowledgement or a closing was taken back. Only the single incident says by whom. */
export function isTakenBack(before: Snapshot, after: IncidentSummary): boolean {
  const isReleased = isAcknowledged(before) && after.status === 'open' && after.acknowledged_by === null;
  return isReopened(before, after) || isReleased;
}

export function isClosed({ status }: Incident): boolean {
  return status === 'closed';
}

/** False if the service does not report it. */
export function isFailing({ activity }: Pick<IncidentSummary, 'activity'>): boolean {
  return activity === 'failing';
}

/** A mute of this incident alone; one of its service or integration is no snooze. */
export function isSnoozed({ mute }: Pick<IncidentSummary, 'mute'>): boolean {
  return mute?.target === 'incident';
}

/** Whether the service has our additions, such as taking back what somebody did: those with mutes have all of them. */
export function offersAdditions(incident: Pick<Incident, 'mute'>): boolean {
  return incident.mute !== undefined;
}

/** Whether fields can be set by hand: one of the service's additions. */
export function offersSteering({ detected }: Pick<Incident, 'detected'>): boolean {
  return detected !== undefined;
}

/** Whether the service reports the acknowledgement at all; "not acknowledged" counts as reported. */
export function reportsAcknowledgement(incident: Acknowledgeable): boolean {
  const { acknowledged, acknowledged_at, acknowledged_by } = incident;
  return acknowledged === false || acknowledged_at !== undefined || acknowledged_by !== undefined;
}

/**
 * Fills fields that the service does not report from its confirmations. A reported field always wins, even if it is
 * null.
 */
export function confirmedIncident(snapshot: Snapshot, confirmations: readonly Confirmation[]): Snapshot {
  return confirmations.reduce(complete, snapshot);
}

function complete(incident: Snapshot, confirmation: Confirmation): Snapshot {
  const { user, at } = confirmation;
  if (confirmation.kind === 'acknowledge') {
    return reportsAcknowledgement(incident) ? incident : { ...incident, acknowledged_by: user, acknowledged_at: at };
  }
  if (incident.status !== 'closed') {
    return incident;
  }
  return {
    ...incident,
    resolved_by: incident.resolved_by === undefined ? user : incident.resolved_by,
    closed_at: incident.closed_at === undefined ? at : incident.closed_at,
    resolution_note: incident.resolution_note === undefined ? confirmation.note : incident.resolution_note,
  };
}
