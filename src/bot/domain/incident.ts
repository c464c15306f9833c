import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import type { AllSetByHand, DeclareKind, IncidentActionKind, SetByHand } from './action.ts';
import type { IncidentId, SlackUserId } from './identifiers.ts';
import { isReopened, type Snapshot } from './snapshot.ts';

/** A write of the bot that the service confirmed with a 2xx. */
export type Confirmation =
  | { readonly kind: 'acknowledge'; readonly user: string; readonly at: string }
  | { readonly kind: 'resolve'; readonly user: string; readonly at: string; readonly note: string };

/** An action that the service has not confirmed yet. */
export interface WaitingAction {
  readonly kind: IncidentActionKind;
  readonly user: string;
}

/** A person or user group as the service names them, and their id in Slack. */
export interface KnownPerson {
  readonly name: string;
  readonly slackUserId: SlackUserId;
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

interface Effect {
  /** Whether the incident is already in the state that such an action asks for. */
  readonly isThere: (incident: Incident) => boolean;
  /** When the service says that it was done; null: it was not, or the service does not say. */
  readonly at: (incident: Incident) => string | null;
}

const never = () => null;

/** How the effect of each kind of action shows in an incident. */
const EFFECTS: Readonly<Record<IncidentActionKind | DeclareKind, Effect>> = {
  acknowledge: {
    isThere: (incident) => isClosed(incident) || isAcknowledged(incident),
    at: (incident) => (isClosed(incident) ? null : (incident.acknowledged_at ?? null)),
  },
  resolve: { isThere: isClosed, at: (incident) => (isClosed(incident) ? (incident.closed_at ?? null) : null) },
  unacknowledge: { isThere: (incident) => !isClosed(incident) && !isAcknowledged(incident), at: never },
  reopen: { isThere: (incident) => !isClosed(incident), at: never },
  snooze: { isThere: isClosed, at: never },
  unsnooze: { isThere: (incident) => !isSnoozed(incident), at: never },
  note: { isThere: () => false, at: never },
  // What is set by hand is compared field by field, see `isSet`.
  steer: { isThere: () => false, at: ({ updated_at: at, opened_at }) => at ?? opened_at },
  unsteer: { isThere: () => false, at: never },
  declare: { isThere: () => false, at: never },
};

/** Whether the incident is already in the state that such an action asks for. */
export function isDoneAlready(incident: Incident, kind: IncidentActionKind | DeclareKind): boolean {
  return EFFECTS[kind].isThere(incident);
}

/** When the service says that it carried out such an action; null: it did not, or does not say. */
export function effectAt(incident: Incident, kind: IncidentActionKind | DeclareKind): string | null {
  return EFFECTS[kind].at(incident);
}

/** What people have set by hand; null: the service's own view, or nobody. */
export function setByHand(incident: Incident): AllSetByHand {
  const { detected = {}, title, severity, root_service: root, lead = null, communications = null } = incident;
  return {
    title: 'title' in detected ? (title ?? null) : null,
    severity: 'severity' in detected ? (severity ?? null) : null,
    root_service: 'root_service' in detected ? root : null,
    lead,
    communications,
  };
}

/** Whether the incident shows all of that. */
export function isSet(incident: Incident, wanted: SetByHand): boolean {
  const shown: SetByHand = setByHand(incident);
  return STEERED.every((field) => wanted[field] === undefined || wanted[field] === shown[field]);
}

/** Whether one of the fields is set by both. */
export function setsTheSame(one: SetByHand, other: SetByHand): boolean {
  return STEERED.some((field) => one[field] !== undefined && other[field] !== undefined);
}

const STEERED = ['title', 'severity', 'root_service', 'lead', 'communications'] as const satisfies (keyof SetByHand)[];

function isClosed({ status }: Incident): boolean {
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

/** Whether the service takes back what somebody did: one of its additions, which it offers with mutes. */
export function offersUndo(incident: Pick<Incident, 'mute'>): boolean {
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
