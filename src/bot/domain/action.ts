import type { Incident, MuteTarget } from '../../contract/resources.ts';
import type { NotAllowed } from './person.ts';
import type { StillFiring } from './still-firing.ts';

/**
 * `unacknowledge` takes back an acknowledgement, `reopen` a closing. `snooze` mutes one incident for a while, `unsnooze`
 * ends that.
 */
export type IncidentActionKind =
  | 'acknowledge'
  | 'resolve'
  | 'unacknowledge'
  | 'reopen'
  | 'snooze'
  | 'unsnooze'
  | 'note';

/** `mute` mutes a service or an integration for a while, `unmute` ends that. */
export type MuteActionKind = 'mute' | 'unmute';

export type ActionKind = IncidentActionKind | MuteActionKind;

/** How long an action can be undone. */
export const UNDO_MS = 10 * 60_000;

interface Requested {
  /** Identifies the interaction; a redelivery of the same interaction is the same action. */
  readonly source: string;
  readonly slackUserId: string;
  /** Where the person was; null: unknown. */
  readonly channelId: string | null;
  /** The note exactly as typed, the one of the closing that is undone, or the reason of a mute; null: none. */
  readonly note: string | null;
  /** The command or control that was used, for the audit log. */
  readonly origin: string;
  /** `snooze` and `mute`: until when. Absent or null: another kind. */
  readonly until?: Date | null;
}

export interface IncidentRequest extends Requested {
  readonly kind: IncidentActionKind;
  readonly incidentId: string;
  /** Ask the person again if the incident still fails. Absent: no. */
  readonly asksFirst?: boolean;
  /** Id of the action that this one undoes. Absent: none. */
  readonly undoes?: string | null;
}

interface MuteRequest extends Requested {
  readonly kind: MuteActionKind;
  readonly incidentId: null;
  readonly mute: MuteSubject;
}

/** What is muted, or the id of the mute that is ended. */
export type MuteSubject =
  | { readonly target: Exclude<MuteTarget, 'incident'>; readonly value: string }
  | { readonly id: string };

/** An action that a person requests, before it is stored. */
export type ActionRequest = IncidentRequest | MuteRequest;

interface Stored {
  readonly id: string;
  /** The name sent to the service; null: not looked up yet. */
  readonly userName: string | null;
  /** Failed attempts so far. */
  readonly attempts: number;
}

export type IncidentAction = Omit<IncidentRequest, 'source'> & Stored;
export type MuteAction = Omit<MuteRequest, 'source'> & Stored;

/** A stored action. It is retried until the service has given a final response. */
export type Action = IncidentAction | MuteAction;

/** The result of an action, final except for `kept`. */
export type Outcome =
  /** The service did it. It may show the user or note with a different spelling. */
  | {
      readonly kind: 'done';
      readonly action: IncidentAction;
      readonly incident: Incident;
      /** The service keeps no notes, so the note is in the thread of the card. Absent: no. */
      readonly isInThread?: boolean;
    }
  /** The incident was already in that state. Nothing was changed. */
  | { readonly kind: 'already'; readonly action: IncidentAction; readonly incident: Incident }
  /** The same for a mute of a service or an integration. */
  | { readonly kind: 'done' | 'already'; readonly action: MuteAction; readonly incident: null }
  /** The incident still fails, so the person is asked first. Nothing was changed. */
  | {
      readonly kind: 'asked';
      readonly action: IncidentAction;
      readonly incident: Incident;
      /** null: only the service reports that it fails. */
      readonly stillFiring: StillFiring | null;
    }
  /** No final response from the service, or a note for a thread that is not there yet. The action is retried. */
  | { readonly kind: 'kept'; readonly action: Action; readonly reason: KeptReason | 'no-card-yet' }
  /** The service or Tocsin refused; no retry. */
  | { readonly kind: 'refused'; readonly action: Action; readonly reason: RefusedReason };

/** The result of cancelling a kept action. */
export type Cancellation =
  | { readonly kind: 'cancelled'; readonly action: Action }
  | { readonly kind: 'being-sent' | 'settled' | 'unknown' };

/** `key`: the service refuses our API key. */
export type KeptReason = 'unreachable' | 'failing' | 'key';

export type RefusedReason =
  | { readonly kind: 'unknown-incident' }
  /** The service keeps no notes, and the incident has no card. */
  | { readonly kind: 'no-thread' }
  /** Too much time has passed, or the state is no longer the one that the action made. */
  | { readonly kind: 'undo-expired'; readonly incident: Incident }
  | { readonly kind: 'undo-overtaken'; readonly incident: Incident }
  /** In the service's own words; null: it gave none. */
  | { readonly kind: 'rejected'; readonly detail: string | null }
  | { readonly kind: 'not-allowed'; readonly why: NotAllowed };
