import { z } from 'zod';
import { type Incident, Severity } from '../../contract/resources.ts';
import type { ActionId, ChannelId, IncidentId, SlackUserId } from './identifiers.ts';
import type { NotAllowed } from './person.ts';
import type { StillFiring } from './still-firing.ts';

/** The note exactly as typed. */
const note = z.string();
/** Why something is muted; null: no reason was given. */
const reason = z.string().nullable();
/** The end of a mute. It is stored as an ISO string. */
const until = z.coerce.date();
/** Id of the action that is undone. */
const undoes: z.ZodType<ActionId> = z.string();
/** What a mute of a service or an integration is for. */
const target = z.enum(['service', 'integration']);

/**
 * What people set by hand in place of what the service finds; null: back to that, or nobody. A field that is absent stays
 * as it is. People are named as the service knows them.
 */
const setByHand = z
  .object({
    title: z.string().nullable(),
    severity: Severity.nullable(),
    root_service: z.string().nullable(),
    lead: z.string().nullable(),
    communications: z.string().nullable(),
  })
  .partial();
export type SetByHand = z.infer<typeof setByHand>;
/** Every field: the value that is set by hand, or null. */
export type AllSetByHand = { readonly [Field in keyof SetByHand]-?: NonNullable<SetByHand[Field]> | null };

/** What each action on an incident needs beside the incident. It is stored, and parsed when it is read. */
const ON_INCIDENTS = {
  acknowledge: z.object({}),
  /**
   * `asksFirst`: ask the person again if the incident still fails. `isNoProblem`: it was not a problem, so the service is
   * to learn from it.
   */
  resolve: z.object({ note, asksFirst: z.boolean(), isNoProblem: z.boolean().default(false) }),
  /** Takes back an acknowledgement. */
  unacknowledge: z.object({ undoes }),
  /** Takes back a closing. `note` is the one of the closing. */
  reopen: z.object({ undoes, note }),
  /** Mutes one incident for a while. */
  snooze: z.object({ until, reason }),
  unsnooze: z.object({}),
  note: z.object({ note }),
  /** `before`: what was set by hand until then, for the undo. */
  steer: z.object({ set: setByHand, before: setByHand }),
  unsteer: z.object({ undoes, set: setByHand, before: setByHand }),
} as const;

/** Kinds that open an incident, so they refer to none. */
const ON_NOTHING = {
  declare: z.object({ title: z.string(), service: z.string(), severity: Severity, note: z.string().nullable() }),
} as const;

/** The same for mutes of services and integrations. */
const ON_MUTES = {
  /** `startsAt`: null: at once. `every`: how often it comes back; null: once. */
  mute: z.object({
    target,
    value: z.string(),
    until,
    reason,
    startsAt: z.coerce.date().nullable().default(null),
    every: z.enum(['day', 'week']).nullable().default(null),
    timeZone: z.string().default('UTC'),
  }),
  /** `target`: as the service says, which may know more than this version. */
  unmute: z.object({ muteId: z.string(), target: z.string(), value: z.string() }),
} as const;

export const ACTION_DATA = { ...ON_INCIDENTS, ...ON_MUTES, ...ON_NOTHING };

export type IncidentActionKind = keyof typeof ON_INCIDENTS;
export type MuteActionKind = keyof typeof ON_MUTES;
export type DeclareKind = keyof typeof ON_NOTHING;
export type ActionKind = IncidentActionKind | MuteActionKind | DeclareKind;

/** The kind that undoes each kind; null: it cannot be undone. */
export const UNDO_OF = {
  acknowledge: 'unacknowledge',
  resolve: 'reopen',
  unacknowledge: null,
  reopen: null,
  snooze: 'unsnooze',
  unsnooze: null,
  note: null,
  steer: 'unsteer',
  unsteer: null,
  declare: null,
  mute: 'unmute',
  unmute: null,
} as const satisfies Record<ActionKind, ActionKind | null>;

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

type Shape<Kind extends ActionKind> = (typeof ACTION_DATA)[Kind]['shape'];
type DataOf<Kind extends ActionKind> = { readonly [Field in keyof Shape<Kind>]: z.infer<Shape<Kind>[Field]> };

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
  /** No final response from the service, or a note for a thread that is not there yet. The action is retried. */
  | {
      readonly kind: 'kept';
      readonly action: Action;
      readonly reason: KeptReason | 'no-card-yet' | 'planned';
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

/** `key`: the service refuses our API key. */
export type KeptReason = 'unreachable' | 'failing' | 'key';

export type RefusedReason =
  | { readonly kind: 'unknown-incident' }
  /** It is an addition of our service, and this one does not know it. */
  | { readonly kind: 'not-offered' }
  /** The service keeps no notes, and the incident has no card. */
  | { readonly kind: 'no-thread' }
  /** Too much time has passed, or the state is no longer the one that the action made. */
  | { readonly kind: 'undo-expired'; readonly incident: Incident }
  | { readonly kind: 'undo-overtaken'; readonly incident: Incident }
  /** In the service's own words; null: it gave none. */
  | { readonly kind: 'rejected'; readonly detail: string | null }
  | { readonly kind: 'not-allowed'; readonly why: NotAllowed };
