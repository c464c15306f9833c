import { ACTIONS } from '../../blocks/ids.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature, Needs } from '../../listeners/feature.ts';
import { NOTE_ACTIONS } from './actions.ts';
import { NOTE_FORMS, NOTE_SHORTCUTS } from './ids.ts';
import { createNoteKind } from './note-kind.ts';
import { createAddNoteListener, createNoteListener } from './note-shortcut.ts';
import { createNoteSubmission } from './note-submission.ts';

export const note = {
  listeners: (deps) => ({
    buttons: { [ACTIONS.note]: createNoteListener(deps) },
    shortcuts: { [NOTE_SHORTCUTS.addNote]: createAddNoteListener(deps) },
    forms: { [NOTE_FORMS.note]: createNoteSubmission(deps) },
  }),
  actions: {
    definitions: NOTE_ACTIONS,
    kinds: (deps: Needs<typeof createNoteKind>) => ({ note: createNoteKind(deps) }),
  },
} satisfies Feature<ListenerDeps>;
