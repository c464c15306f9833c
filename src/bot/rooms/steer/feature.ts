import { ACTIONS } from '../../blocks/ids.ts';
import { NOTHING } from '../../listeners/commands.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature } from '../../listeners/feature.ts';
import { STEER_ACTIONS } from './actions.ts';
import { handleAssign } from './assign-command.ts';
import { STEER_FORMS } from './ids.ts';
import { createSteerListener, handleChange } from './steer-command.ts';
import { createSteerKind, createUnsteerKind, type SteerDeps } from './steer-kind.ts';
import { createSteerSubmission } from './steer-submission.ts';

export const steer = {
  words: {
    change: {
      aliases: ['edit', 'set'],
      takes: { ...NOTHING, references: 'one' },
      usage: '<#number, id or service>',
      help: 'sets title, severity, root service, lead and communications by hand',
      example: '#142',
      handle: handleChange,
    },
    assign: {
      aliases: [],
      takes: { ...NOTHING, references: 'list', hasText: true, hasPeople: true },
      usage: '<#number, id or service> [@who leads] [@who communicates]',
      help: 'assigns to people or user groups, or to `me`; without names, the form of `change` opens',
      example: '#142 @sre',
      handle: handleAssign,
    },
  },
  listeners: (deps) => ({
    buttons: { [ACTIONS.steer]: createSteerListener(deps) },
    forms: { [STEER_FORMS.steer]: createSteerSubmission(deps) },
  }),
  actions: {
    definitions: STEER_ACTIONS,
    kinds: (deps: SteerDeps) => ({ steer: createSteerKind(deps), unsteer: createUnsteerKind(deps) }),
  },
} satisfies Feature<ListenerDeps>;
