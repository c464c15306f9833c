import type { ActionDefinitions } from './actions/definition.ts';
import { ACT_ACTIONS } from './rooms/act/actions.ts';
import { DECLARE_ACTIONS } from './rooms/declare/actions.ts';
import { NOTE_ACTIONS } from './rooms/note/actions.ts';
import { REGROUP_ACTIONS } from './rooms/regroup/actions.ts';
import { SNOOZE_ACTIONS } from './rooms/snooze/actions.ts';
import { STEER_ACTIONS } from './rooms/steer/actions.ts';

/** What every kind of action is. */
export const ACTION_DEFINITIONS: ActionDefinitions = {
  ...ACT_ACTIONS,
  ...SNOOZE_ACTIONS,
  ...NOTE_ACTIONS,
  ...STEER_ACTIONS,
  ...REGROUP_ACTIONS,
  ...DECLARE_ACTIONS,
};
