import { createAnswerKind } from './actions/answer-kind.ts';
import type { ActionDefinitions } from './actions/definition.ts';
import type { Kinds } from './actions/kind.ts';
import type { Feature, HandledCommand, Needs } from './listeners/feature.ts';
import type { MessageKinds } from './messages/kind.ts';
import { createNoticeKind } from './messages/notice-kind.ts';
import { health } from './monitoring/feature.ts';
import { act } from './rooms/act/feature.ts';
import { card } from './rooms/card/feature.ts';
import { declare } from './rooms/declare/feature.ts';
import { exporting } from './rooms/export/feature.ts';
import { handover } from './rooms/handover/feature.ts';
import { help } from './rooms/help/feature.ts';
import { home } from './rooms/home/feature.ts';
import { lists } from './rooms/lists/feature.ts';
import { note } from './rooms/note/feature.ts';
import { onCall } from './rooms/on-call/feature.ts';
import { read } from './rooms/read/feature.ts';
import { regroup } from './rooms/regroup/feature.ts';
import { reminders } from './rooms/reminders/feature.ts';
import { room } from './rooms/room/feature.ts';
import { rules } from './rooms/rules/feature.ts';
import { signIn } from './rooms/sign-in/feature.ts';
import { signals } from './rooms/signals/feature.ts';
import { snooze } from './rooms/snooze/feature.ts';
import { stats } from './rooms/stats/feature.ts';
import { steer } from './rooms/steer/feature.ts';
import { storm } from './rooms/storm/feature.ts';
import { unfurl } from './rooms/unfurl/feature.ts';
import { wake } from './rooms/wake/feature.ts';

const ROOMS = [
  lists,
  declare,
  steer,
  act,
  snooze,
  regroup,
  signals,
  room,
  rules,
  read,
  stats,
  handover,
  onCall,
  exporting,
  signIn,
  card,
  home,
  note,
  storm,
  unfurl,
  wake,
  health,
  help,
  reminders,
] as const;

type Room = (typeof ROOMS)[number];
/** All members of a union at once, each wrapped as `(member) => void`. */
type All<Wrapped> = [Wrapped] extends [(all: infer Each) => void] ? Each : never;
type Listening<Each> = Each extends Feature<infer Deps> ? (deps: Deps) => void : never;
type Messages<Each> = Each extends { messages: infer Make } ? Make : never;
type Actions<Each> = Each extends { actions: infer Brought } ? Brought : never;
type DefinitionsOf<Brought> = Brought extends { definitions: infer Each } ? (definitions: Each) => void : never;
type Made<Make> = Make extends (deps: never) => infer Kinds ? (kinds: Kinds) => void : never;

/** What the listeners of all rooms need. */
export type FeatureDeps = All<Listening<Room>>;
/** What their kinds of messages need. */
type MessageDeps = All<Messages<Room>>;
/** What their kinds of actions need. */
export type ActionDeps = All<Actions<Room>['kinds']>;

/** The rooms, in the order of their words in the help. */
export const FEATURES: readonly Feature<FeatureDeps, MessageDeps, ActionDeps>[] = ROOMS;

/** What each kind of message shows. One that no room brings does not compile. */
export function createMessageKinds(deps: MessageDeps & Needs<typeof createAnswerKind>): MessageKinds {
  const ofRooms: All<Made<Messages<Room>>> = Object.assign({}, ...FEATURES.map(({ messages }) => messages?.(deps)));
  return { ...ofRooms, answer: createAnswerKind(deps), notice: createNoticeKind(deps.now) };
}

/** What every kind of action is. One that no room brings does not compile. */
export const ACTION_DEFINITIONS: ActionDefinitions = mergeDefinitions();

function mergeDefinitions(): All<DefinitionsOf<Actions<Room>>> {
  return Object.assign({}, ...FEATURES.map(({ actions }) => actions?.definitions));
}

/** How every kind of action is done. One that no room brings does not compile. */
export function createActionKinds(deps: ActionDeps): Kinds {
  const kinds: All<Made<Actions<Room>['kinds']>> = Object.assign(
    {},
    ...FEATURES.map(({ actions }) => actions?.kinds(deps)),
  );
  return kinds;
}

/** The words after `/incidents`. */
export const WORDS: Readonly<Record<string, HandledCommand<FeatureDeps>>> = Object.assign(
  {},
  ...FEATURES.map(({ words }) => words),
);
