import type { ListenerDeps } from '../../listeners/deps.ts';
import { createFormSubmission } from '../../listeners/form-submission.ts';
import { NOTE_INPUT } from './ids.ts';
import { parseNoteContext, parseNoteForm } from './note-modal.ts';

/** Handles the submitted form "Add to incident". */
export function createNoteSubmission(deps: ListenerDeps) {
  return createFormSubmission(deps, {
    field: NOTE_INPUT.noteBlock,
    button: 'Add note',

    read({ private_metadata: metadata, state }) {
      const [context, form] = [parseNoteContext(metadata), parseNoteForm(state.values)];
      return context && form && { ...context, ...form };
    },

    findFault: ({ note }) => (note.trim() === '' ? { fault: 'Please write a note.' } : null),

    request: async ({ channelId, incidentId, note }) => ({ kind: 'note', channelId, incidentId, note }),
  });
}
