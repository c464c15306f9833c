import type { ZodType } from 'zod';
import type { Incident } from '../../contract/resources.ts';
import type { KnownIncident } from '../incident/incident.ts';
import type { SlackMessage } from '../slack/slack-message.ts';
import type { Action, ActionKind, DataOf, MuteActionKind, Outcome } from './action.ts';

/** The incident of an action; null for a mute of a service or an integration. */
type IncidentOf<Kind extends ActionKind> = Kind extends MuteActionKind ? null : Incident;

export type Done = Extract<Outcome, { kind: 'done' | 'already' }>;
export type Asked = Extract<Outcome, { kind: 'asked' }>;

/** What a kind of action is: what is stored, how its effect shows in an incident, and its words. */
export interface ActionDefinition<Kind extends ActionKind = ActionKind> {
  /** Reads what the action needs beside its incident. It is stored, and parsed when it is read. */
  readonly data: ZodType<DataOf<Kind>>;
  /** The kind that undoes it; null: it cannot be undone. */
  readonly undoneBy: ActionKind | null;
  /** Whether the incident is already in the state that the action asks for. */
  isThere(incident: Incident): boolean;
  /** When the service says that it was done; null: it was not, or the service does not say. Absent: it never says. */
  doneAt?(incident: Incident): string | null;
  /** Name of the action within a sentence: "Your … is cancelled". */
  readonly name: string;
  /** Name of what is saved while the action is pending: "Your … is saved". */
  readonly savedAs: string;
  /** When a pending action is sent, after "I'll send it"; absent: as soon as the service accepts it. */
  readonly savedUntil?: string;
  /** State that the incident still shows if the service accepted the action without effect; null: not checked. */
  readonly undone: string | null;
  /** Name of the action that this kind undoes; absent: it undoes nothing. */
  readonly takesBack?: string;
  done(action: Action<Kind>, incident: IncidentOf<Kind>, outcome: Done): SlackMessage;
  already(action: Action<Kind>, incident: IncidentOf<Kind>): SlackMessage;
  /** Text that the person typed and that must not be lost; null or absent: none. */
  typed?(action: Action<Kind>): string | null;
  /** What an action without an incident is about. */
  subject?(action: Action<Kind>): { readonly words: string; readonly logged: string };
  /** Asks the person first; absent: such actions are never asked about. */
  asked?(outcome: Asked): SlackMessage;
  /** Why it waits, if not for a partner; null: it waits for one. */
  waits?(action: Action<Kind>, reason: Extract<Outcome, { kind: 'kept' }>['reason']): string | null;
  /** What is said of a newer one that made it void, in place of that it was not done. @param when ", 9:02" */
  again?(subject: string, when: string): string;
}

/** All kinds: one that is missing does not compile. */
export type ActionDefinitions = {
  readonly [Kind in ActionKind]: Kind extends Asked['action']['kind']
    ? ActionDefinition<Kind> & Required<Pick<ActionDefinition<Kind>, 'asked'>>
    : ActionDefinition<Kind>;
};

export function definitionOf(definitions: ActionDefinitions, kind: ActionKind): ActionDefinition {
  return definitions[kind];
}

/** An action that waits for the service, as a card names it. */
export interface NamedWaiting {
  readonly name: string;
  readonly user: string;
}

/** The actions that wait for the service, without those whose effect shows: they may still be stored as pending. */
export type NameWaiting = (known: Pick<KnownIncident, 'incident' | 'waiting'>) => readonly NamedWaiting[];

export function createNameWaiting(definitions: ActionDefinitions): NameWaiting {
  const byKind = new Map<string, ActionDefinition>(Object.entries(definitions));
  return ({ incident, waiting }) =>
    waiting.flatMap(({ kind, user }) => {
      const definition = byKind.get(kind);
      return definition === undefined || definition.isThere(incident) ? [] : [{ name: definition.name, user }];
    });
}
