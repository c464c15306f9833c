import { ANSWER_BUTTONS } from '../../actions/ids.ts';
import { ACTIONS } from '../../blocks/ids.ts';
import { NOTHING } from '../../listeners/commands.ts';
import type { Feature, Needs } from '../../listeners/feature.ts';
import type { ListsDeps } from '../lists/show.ts';
import { createAcknowledgeKind } from './acknowledge-kind.ts';
import { handleActions } from './act-command.ts';
import { ACT_ACTIONS } from './actions.ts';
import { createCancelListener } from './cancel-button.ts';
import { createAcknowledgeListener, createResolveListener } from './card-buttons.ts';
import { ACT_BUTTONS, ACT_FORMS } from './ids.ts';
import { createResolveKind } from './resolve-kind.ts';
import { createResolveSubmission } from './resolve-submission.ts';
import { createLateNoteListener, createResolveAnywayListener, createUndoListener } from './undo-button.ts';
import { createReopenKind, createUnacknowledgeKind } from './undo-kind.ts';
import { createUseNoteListener } from './use-note-button.ts';

export const act = {
  words: {
    ack: {
      aliases: ['acknowledge', 'take'],
      takes: { ...NOTHING, references: 'many' },
      usage: '[<#number, id or service> …]',
      help: 'acknowledges: you are working on it; without a number, the only one that nobody has taken',
      example: '#142 #143',
      handle: handleActions,
    },
    resolve: {
      aliases: ['close'],
      takes: { ...NOTHING, references: 'list', hasText: true },
      usage: '<#number, id or service> [note]',
      help: 'closes with a note, and asks first if it still fails; without a note, a form opens',
      example: '#142 rolled back 1.2.3',
      handle: handleActions,
    },
  },
  listeners: (deps) => ({
    buttons: {
      [ACTIONS.acknowledge]: createAcknowledgeListener(deps),
      [ACTIONS.resolve]: createResolveListener(deps),
      [ACT_BUTTONS.useNote]: createUseNoteListener(deps),
      [ACT_BUTTONS.resolveAnyway]: createResolveAnywayListener(deps),
      [ACT_BUTTONS.addLateNote]: createLateNoteListener(deps),
      [ANSWER_BUTTONS.undo]: createUndoListener(deps),
      [ANSWER_BUTTONS.cancelPending]: createCancelListener(deps),
    },
    forms: { [ACT_FORMS.resolve]: createResolveSubmission(deps) },
  }),
  actions: {
    definitions: ACT_ACTIONS,
    kinds: (
      deps: Needs<typeof createAcknowledgeKind> & Needs<typeof createResolveKind> & Needs<typeof createReopenKind>,
    ) => ({
      acknowledge: createAcknowledgeKind(deps),
      resolve: createResolveKind(deps),
      unacknowledge: createUnacknowledgeKind(deps),
      reopen: createReopenKind(deps),
    }),
  },
} satisfies Feature<ListsDeps>;
