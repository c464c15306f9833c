/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const READ_BUTTONS = { start: 'read_start', stop: 'read_stop' } as const;
