import type { Mute } from '../../contract/mute.ts';
import type { Incident } from '../../contract/resources.ts';
import type { StoredIncident } from '../incident/write-incident.ts';
import type { Action, ActionKind, MuteActionKind, NamedAction, Newer, Outcome } from './action.ts';

/** An incident as the service shows it; null: the response was unreadable, and it is not known. */
export interface IncidentState {
  readonly incident: Incident | null;
  /** What the bot has stored of it; null: nothing. */
  readonly stored: StoredIncident | null;
  /** Its entity tag; null: it has none. */
  readonly etag: string | null;
  /** When it was asked for. */
  readonly readAt: Date;
}

/** The state that an action of this kind changes, as read before and after the write. */
export type StateOf<Kind extends ActionKind> = Kind extends MuteActionKind ? readonly Mute[] : IncidentState;

/**
 * How one kind of action reads and writes the service. All kinds share the protocol in `action-effect.ts`.
 *
 * @typeParam State see `StateOf`
 */
export interface KindOf<Kind extends ActionKind, State> {
  /** Reads the state. @throws ServiceClientError */
  read(action: NamedAction<Kind>): Promise<State>;
  /** Returns the outcome if nothing must be written, for example because it is done already; null: go on and write. */
  judge(action: NamedAction<Kind>, before: State, isSuperseded: boolean): Outcome | null | Promise<Outcome | null>;
  /** Whether `newer`, an action that was done, makes this action void. */
  isVoidedBy(action: NamedAction<Kind>, newer: Action): boolean;
  /** Finds a newer change at the service that makes a retried action void, such as an undo; null: there is none. */
  voidedIn(action: NamedAction<Kind>, before: State): Newer | null;
  /** Writes. @throws ServiceClientError */
  write(action: NamedAction<Kind>, before: State): Promise<Outcome>;
  /** Derives the outcome from the state after a write without a clear response; null: the write did not happen. */
  recognize(action: NamedAction<Kind>, doubt: Doubt<State>): Outcome | null | Promise<Outcome | null>;
}

interface Doubt<State> {
  readonly before: State;
  readonly after: State;
  readonly error: unknown;
}

export type Kind<Each extends ActionKind> = KindOf<Each, StateOf<Each>>;

/** One of each kind. A new kind does not compile until it is here. */
export type Kinds = { readonly [Each in ActionKind]: Kind<Each> };
