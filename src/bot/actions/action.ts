import type { Incident } from '../../contract/resources.ts';
import type { StillFiring } from '../incident/still-firing.ts';
import type { ActionId, ChannelId, IncidentId, SlackUserId } from '../slack/identifiers.ts';
import type { NotAllowed, Unassignable } from '../slack/person.ts';

/**
 * The kinds of actions: what each is about, and what it needs beside that. Each is declared by its room, which adds it to
 * this interface. An action on an incident changes that; one on a mute changes mutes of services and integrations; one on
 * nothing opens an incident.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the rooms fill it
export interface ActionTypes {}

/** What a kind declares. */
export interface ActionType {
  readonly on: 'incident' | 'mute' | 'nothing';
  readonly data: object;
}

export type ActionKind = keyof ActionTypes;
type KindsOn<On extends ActionType['on']> = {
  [Kind in ActionKind]: ActionTypes[Kind]['on'] extends On ? Kind : never;
}[ActionKind];
export type IncidentActionKind = KindsOn<'incident'>;
export type MuteActionKind = KindsOn<'mute'>;
export type DeclareKind = KindsOn<'nothing'>;

/** How long an action can be undone. */
export const UNDO_MS = 10 * 60_000;

interface Asked {
  readonly slackUserId: SlackUserId;
  /** Where the person was; null: unknown. */
  readonly channelId: ChannelId | null;
  /** The command or control that was used, for the audit log. */
  readonly origin: string;
}

interface Stored {
  readonly id: ActionId;
  /** The name sent to the service; null: not looked up yet. */
  readonly userName: string | null;
  /** Failed attempts so far. Each holder of the action sees another number. */
  readonly attempts: number;
  readonly keptAt: Date;
}

/** The incident of an action; null: it is about a service or an integration, or opens an incident. */
interface Subjects {
  readonly incident: { readonly incidentId: IncidentId };
  readonly other: { readonly incidentId: null };
}
type SubjectOf<Kind extends ActionKind> = Subjects[Kind extends IncidentActionKind ? 'incident' : 'other'];

export type DataOf<Kind extends ActionKind> = Readonly<ActionTypes[Kind]['data']>;

type Given<Kind extends ActionKind, Facts> = {
  readonly [Each in Kind]: Facts & { readonly kind: Each } & SubjectOf<Each> & DataOf<Each>;
}[Kind];

/** What a person asks for, before it is stored. `source` identifies the interaction, which may be delivered repeatedly. */
export type ActionRequest<Kind extends ActionKind = ActionKind> = Given<Kind, Asked & { readonly source: string }>;
/** A stored action. */
export type Action<Kind extends ActionKind = ActionKind> = Given<Kind, Asked & Stored>;
/** An action whose person was looked up. */
export type NamedAction<Kind extends ActionKind = ActionKind> = Given<
  Kind,
  Asked & Stored & { readonly userName: string; readonly userId: string }
>;

export type IncidentAction = Action<IncidentActionKind>;
export type MuteAction = Action<MuteActionKind>;
/** An action whose outcome shows an incident. */
export type ActionWithIncident = IncidentAction | Action<DeclareKind>;

export function isOnIncident(action: Action): action is IncidentAction {
  return action.incidentId !== null;
}

/** The result of an action, final except for `kept`. */
export type Outcome =
  /** The service did it, perhaps with another spelling of the user or note. Or it was `already` so: nothing was changed. */
  | {
      readonly kind: 'done' | 'already';
      readonly action: ActionWithIncident;
      readonly incident: Incident;
      /** The service keeps no notes, so the note is in the thread of the card. Absent: no. */
      readonly isInThread?: boolean;
    }
  /** The same for a mute of a service or an integration. */
  | {
      readonly kind: 'done' | 'already';
      readonly action: MuteAction;
      readonly incident: null;
      /** The mute that was made, for its Undo. Absent: none, or the service did not say. */
      readonly muteId?: string;
    }
  /** The incident still fails, so the person is asked first. Nothing was changed. */
  | {
      readonly kind: 'asked';
      readonly action: Action<'resolve'>;
      readonly incident: Incident;
      /** null: only the service reports that it fails. */
      readonly stillFiring: StillFiring | null;
    }
  /** Something newer took its place before it was sent. Nothing was changed. */
  | { readonly kind: 'void'; readonly action: Action; readonly incident: Incident | null; readonly newer: Newer }
  /** No final response from the service, or it is not time yet. The action is retried. */
  | {
      readonly kind: 'kept';
      readonly action: Action;
      readonly reason: KeptReason | 'planned';
      /** Milliseconds until the retry; absent: a backoff by the number of attempts. */
      readonly waitMs?: number;
    }
  /** The service or Tocsin refused; no retry. */
  | { readonly kind: 'refused'; readonly action: Action; readonly reason: RefusedReason };

/** What makes an older action void. */
export interface Newer {
  readonly kind: ActionKind;
  readonly at: Date;
  /** null: the person of the older action. */
  readonly by: string | null;
}

/** The result of cancelling a kept action. */
export type Cancellation =
  | { readonly kind: 'cancelled'; readonly action: Action }
  | { readonly kind: 'being-sent' | 'settled' | 'unknown' };

/** `key`: the service refuses our API key. `slack`: Slack does not say who somebody is. */
export type KeptReason = 'unreachable' | 'failing' | 'key' | 'slack';

export type RefusedReason =
  | { readonly kind: 'unknown-incident' }
  /** It is an addition of our service, and this one does not know it. */
  | { readonly kind: 'not-offered' }
  /** The service keeps no notes, and the incident has no card. */
  | { readonly kind: 'no-thread' }
  /** `whom`: an id in Slack, or `@name`. */
  | { readonly kind: 'not-assignable'; readonly whom: string; readonly why: Unassignable }
  /** Too much time has passed, or the state is no longer the one that the action made. */
  | { readonly kind: 'undo-expired'; readonly incident: Incident }
  | { readonly kind: 'undo-overtaken'; readonly incident: Incident }
  /** In the service's own words; null: it gave none. */
  | { readonly kind: 'rejected'; readonly detail: string | null }
  | { readonly kind: 'not-allowed'; readonly why: NotAllowed };
