import type { Feature, HandledCommand } from './listeners/feature.ts';
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

type DepsOf<Each> = Each extends Feature<infer Deps> ? (deps: Deps) => void : never;
type All<Each> = DepsOf<Each> extends (deps: infer Deps) => void ? Deps : never;

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
] as const;

/** What the listeners of all rooms need. */
export type FeatureDeps = All<(typeof ROOMS)[number]>;

/** The rooms, in the order of their words in the help. */
export const FEATURES: readonly Feature<FeatureDeps>[] = ROOMS;

/** The words after `/incidents`. */
export const WORDS: Readonly<Record<string, HandledCommand<FeatureDeps>>> = Object.assign(
  {},
  ...FEATURES.map(({ words }) => words),
);
