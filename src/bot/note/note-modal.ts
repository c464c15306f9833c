import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import type { IncidentId } from '../domain/identifiers.ts';
import { COMMANDS, NOTE_INPUT, VIEWS } from '../domain/ids.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { field, option, readStored } from '../views/form.ts';
import { LIMITS } from '../views/limits.ts';
import { mrkdwn, plainText, quote } from '../views/mrkdwn.ts';
import { byName } from '../views/people-words.ts';

/** Slack offers at most 100 options. */
export const OFFERED_INCIDENTS = 100;

/** The longest id that fits into an option; incidents with longer ones are left out. */
const OPTION_VALUE = LIMITS.optionValue;
const NOTE_LENGTH = 2_900;

/** The modal's `private_metadata`. */
const NoteContext = z.object({ channelId: z.string().min(1).max(64).nullable() });
export type NoteContext = z.infer<typeof NoteContext>;

/** @param incidents open ones, newest first. @param draft the note to start with, not escaped */
export function noteModal(context: NoteContext, incidents: readonly Snapshot[], draft: string): ModalView {
  const options = incidents
    .filter(({ id }) => id.length <= OPTION_VALUE)
    .slice(0, OFFERED_INCIDENTS)
    .map(incidentOption);
  const [newest] = options;
  const frame = {
    type: 'modal' as const,
    callback_id: VIEWS.note,
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

function incidentOption(incident: Snapshot): PlainTextOption {
  const reference = incident.number === undefined ? incident.id : `#${incident.number}`;
  return option(`${reference} ${incident.title ?? incident.root_service}`, incident.id);
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
