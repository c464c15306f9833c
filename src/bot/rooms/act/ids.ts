/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const ACT_BUTTONS = {
  useNote: 'incident_use_note',
  resolveAnyway: 'incident_resolve_anyway',
  addLateNote: 'late_note_add',
} as const;
export const ACT_FORMS = { resolve: 'incident_resolve_modal' } as const;

/** The note field of the resolve modal. */
export const NO_PROBLEM_INPUT = { blockId: 'no_problem', actionId: 'no_problem_box', value: 'yes' } as const;

export const RESOLVE_INPUT = { blockId: 'resolution_note', actionId: 'resolution_note_text' } as const;
