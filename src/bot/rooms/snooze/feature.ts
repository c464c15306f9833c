import { ACTIONS } from '../../blocks/ids.ts';
import { NOTHING } from '../../listeners/commands.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature } from '../../listeners/feature.ts';
import { SNOOZE_ACTIONS } from './actions.ts';
import { SNOOZE_BUTTONS, SNOOZE_FORMS } from './ids.ts';
import { createMuteEndListener } from './mute-command.ts';
import { createMuteKind, createUnmuteKind, type MuteDeps } from './mute-kind.ts';
import { createMuteSubmission } from './mute-submission.ts';
import {
  createSnoozeEndListener,
  createSnoozeListener,
  createSnoozeQuestionListener,
  handleSnooze,
} from './snooze-buttons.ts';
import { createSnoozeKind, createUnsnoozeKind, type SnoozeDeps } from './snooze-kind.ts';

export const snooze = {
  words: {
    snooze: {
      aliases: [],
      takes: { ...NOTHING, references: 'list', hasText: true },
      usage: '<#number, id or service:name> [1h, 4h, 2d or tomorrow] [reason]',
      help: 'holds back reminders and new cards of an incident, or of a service during planned work',
      example: '#142 4h',
      handle: handleSnooze,
    },
  },
  listeners: (deps) => {
    const snoozing = createSnoozeListener(deps);
    return {
      buttons: {
        [ACTIONS.snooze]: createSnoozeQuestionListener(deps),
        [ACTIONS.snoozeEnd]: createSnoozeEndListener(deps),
        [SNOOZE_BUTTONS.snoozeHour]: snoozing,
        [SNOOZE_BUTTONS.snoozeHours]: snoozing,
        [SNOOZE_BUTTONS.snoozeTomorrow]: snoozing,
        [SNOOZE_BUTTONS.muteEnd]: createMuteEndListener(deps),
      },
      forms: { [SNOOZE_FORMS.mute]: createMuteSubmission(deps) },
    };
  },
  actions: {
    definitions: SNOOZE_ACTIONS,
    kinds: (deps: SnoozeDeps & MuteDeps) => ({
      snooze: createSnoozeKind(deps),
      unsnooze: createUnsnoozeKind(deps),
      mute: createMuteKind(deps),
      unmute: createUnmuteKind(deps),
    }),
  },
} satisfies Feature<ListenerDeps>;
