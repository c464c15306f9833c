/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const WAKE_BUTTONS = { haveIt: 'wake_have_it' } as const;
