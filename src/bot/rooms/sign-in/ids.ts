/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const SIGN_IN_BUTTONS = { openDashboard: 'dashboard_open' } as const;
