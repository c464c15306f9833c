import type { ServiceClientError } from '../../client/errors.ts';
import type { Incident, Mute } from '../../contract/resources.ts';
import type { Action, ActionKind, MuteActionKind, NamedAction, Newer, Outcome } from '../domain/action.ts';

/** An incident as the service shows it; null: the response was unreadable, and it is not known. */
export interface IncidentState {
  readonly incident: Incident | null;
  /** Its entity tag; null: it has none. */
  readonly etag: string | null;
  /** When it was asked for. */
  readonly readAt: Date;
}

/** What an action of this kind changes, as read before and after the write. A declaration has no incident before. */
export type StateOf<Kind extends ActionKind> = Kind extends MuteActionKind ? readonly Mute[] : IncidentState;

/**
 * What one kind of action is at the service. All kinds share the protocol in `perform.ts`.
 *
 * @typeParam State see `StateOf`
 */
export interface KindOf<Kind extends ActionKind, State> {
  /** Reads the state. @throws ServiceClientError */
  read(action: NamedAction<Kind>): Promise<State>;
  /** The outcome if nothing is to be written: it is done already, too late, or impossible. null: it is to be written. */
  judge(action: NamedAction<Kind>, before: State, isSuperseded: boolean): Outcome | null | Promise<Outcome | null>;
  /** Whether a newer action that was done makes this one void. */
  isVoidedBy(action: NamedAction<Kind>, newer: Action): boolean;
  /** A newer state that makes it void, such as an undo by somebody else; null: there is none. Asked only of a late action. */
  voidedIn(action: NamedAction<Kind>, before: State): Newer | null;
  /** Writes. @throws ServiceClientError */
  write(action: NamedAction<Kind>, before: State): Promise<Outcome>;
  /** After a write without a clear answer: the outcome that the state shows. null: it was not done. */
  recognize(action: NamedAction<Kind>, doubt: Doubt<State>): Outcome | null | Promise<Outcome | null>;
}

interface Doubt<State> {
  readonly before: State;
  readonly after: State;
  readonly error: ServiceClientError;
}

export type Kind<Each extends ActionKind> = KindOf<Each, StateOf<Each>>;

/** One of each kind. A new kind does not compile until it is here. */
export type Kinds = { readonly [Each in ActionKind]: Kind<Each> };
