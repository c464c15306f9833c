import { TEXT } from '../../listeners/commands.ts';
import type { Feature, Needs } from '../../listeners/feature.ts';
import { ON_CALL_BUTTONS, ON_CALL_FORMS } from './ids.ts';
import { handleOncall, type OnCallDeps } from './oncall-command.ts';
import { createSwapKind } from './swap-kind.ts';
import { createSwapListener, createSwapSubmission } from './swap-listeners.ts';

export const onCall = {
  words: {
    oncall: {
      aliases: [],
      takes: TEXT,
      usage: '[<schedule or service>] or oncall take [2h] [<schedule>], swap [<schedule>], drill [<policy>], wakeme',
      help: 'shows who is on call and who would be woken, puts you on call for some hours, asks others to take a turn, tries a policy, or lets a direct message wake you',
      example: 'take 2h',
      handle: handleOncall,
    },
  },
  listeners: (deps) => ({
    buttons: {
      [ON_CALL_BUTTONS.swapTake]: createSwapListener(deps, 'taken'),
      [ON_CALL_BUTTONS.swapDecline]: createSwapListener(deps, 'declined'),
      [ON_CALL_BUTTONS.swapUndo]: createSwapListener(deps, 'undone'),
    },
    forms: { [ON_CALL_FORMS.swap]: createSwapSubmission(deps) },
  }),
  messages: (deps: Needs<typeof createSwapKind>) => ({ swap: createSwapKind(deps) }),
} satisfies Feature<OnCallDeps>;
