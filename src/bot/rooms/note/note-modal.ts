import type { InputBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { field, incidentOptions, readStored } from '../../blocks/form.ts';
import { COMMANDS } from '../../blocks/ids.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { mrkdwn, plainText, quote } from '../../blocks/mrkdwn.ts';
import { byName } from '../../blocks/people-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { IncidentId } from '../../slack/identifiers.ts';
import { NOTE_FORMS, NOTE_INPUT } from './ids.ts';

const NOTE_LENGTH = 2_900;

/** The modal's `private_metadata`. */
const NoteContext = z.object({ channelId: z.string().min(1).max(64).nullable() });
export type NoteContext = z.infer<typeof NoteContext>;

/** @param incidents open ones, newest first. @param draft the note to start with, not escaped */
export function noteModal(context: NoteContext, incidents: readonly Snapshot[], draft: string): ModalView {
  const options = incidentOptions(incidents);
  const [newest] = options;
  const frame = {
    type: 'modal' as const,
    callback_id: NOTE_FORMS.note,
    private_metadata: JSON.stringify(context),
    title: plainText('Add to incident', LIMITS.modalTitle),
  };
  if (newest === undefined) {
    const text = `No open incidents. \`${COMMANDS.incidents} closed\` lists what was closed.`;
    return {
      ...frame,
      close: plainText('Close', LIMITS.modalButton),
      blocks: [{ type: 'section', text: mrkdwn(text) }],
    };
  }
  return {
    ...frame,
    submit: plainText('Add note', LIMITS.modalButton),
    close: plainText('Cancel', LIMITS.modalButton),
    blocks: [
      field(NOTE_INPUT.incidentBlock, 'Incident', {
        type: 'static_select',
        action_id: NOTE_INPUT.incident,
        options,
        initial_option: newest,
      }),
      noteInput(draft),
    ],
  };
}

function noteInput(draft: string): InputBlock {
  const element = {
    type: 'plain_text_input',
    action_id: NOTE_INPUT.note,
    multiline: true,
    min_length: 1,
    max_length: LIMITS.plainTextInput,
    ...(draft === '' ? {} : { initial_value: draft.slice(0, LIMITS.plainTextInput).toWellFormed() }),
  } as const;
  const hint = 'Kept in the timeline of the incident, exactly as you type it.';
  return field(NOTE_INPUT.noteBlock, 'Note', element, { hint });
}

/** The note as a reply in the thread of a card. */
export function threadNote(user: string, note: string): string {
  return `📝 Note by ${byName(user)}:\n${quote(note, NOTE_LENGTH)}`;
}

export function parseNoteContext(privateMetadata: string): NoteContext | null {
  return readStored(NoteContext, privateMetadata);
}

const State = z.object({
  [NOTE_INPUT.incidentBlock]: z.object({
    [NOTE_INPUT.incident]: z.object({ selected_option: z.object({ value: z.string().min(1) }) }),
  }),
  [NOTE_INPUT.noteBlock]: z.object({ [NOTE_INPUT.note]: z.object({ value: z.string().nullish() }) }),
});

/** @returns null: the form is out of date */
export function parseNoteForm(stateValues: unknown): { readonly incidentId: IncidentId; readonly note: string } | null {
  const state = State.safeParse(stateValues).data;
  return state === undefined
    ? null
    : {
        incidentId: state[NOTE_INPUT.incidentBlock][NOTE_INPUT.incident].selected_option.value,
        note: state[NOTE_INPUT.noteBlock][NOTE_INPUT.note].value ?? '',
      };
}
