/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const NOTE_FORMS = { note: 'incident_note_modal' } as const;
export const NOTE_SHORTCUTS = { addNote: 'add_note_to_incident' } as const;

/** The fields of the modal "Add to incident". */
export const NOTE_INPUT = {
  incidentBlock: 'note_incident',
  incident: 'note_incident_id',
  noteBlock: 'incident_note',
  note: 'incident_note_text',
} as const;
