import { ACTIONS } from '../../blocks/ids.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { Feature } from '../../listeners/feature.ts';
import { NOTE_FORMS, NOTE_SHORTCUTS } from './ids.ts';
import { createAddNoteListener, createNoteListener } from './note-shortcut.ts';
import { createNoteSubmission } from './note-submission.ts';

export const note: Feature<ListenerDeps> = {
  listeners: (deps) => ({
    buttons: { [ACTIONS.note]: createNoteListener(deps) },
    shortcuts: { [NOTE_SHORTCUTS.addNote]: createAddNoteListener(deps) },
    forms: { [NOTE_FORMS.note]: createNoteSubmission(deps) },
  }),
};
