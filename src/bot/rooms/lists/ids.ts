/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const LISTS_BUTTONS = {
  listMore: 'incidents_list_more',
  listBack: 'incidents_list_back',
  listRefresh: 'incidents_list_refresh',
  listRow: 'incidents_list_row',
  listAcknowledge: 'incidents_list_acknowledge',
} as const;
export const LISTS_SHORTCUTS = { openIncidents: 'open_incidents' } as const;
