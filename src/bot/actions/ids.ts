/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const ANSWER_BUTTONS = { undo: 'action_undo', cancelPending: 'pending_cancel' } as const;
