/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const STORM_BUTTONS = {
  stormAcknowledge: 'storm_acknowledge_service',
  stormUndo: 'storm_undo',
  stormList: 'storm_list',
  stormListNext: 'storm_list_next',
  stormListPrevious: 'storm_list_previous',
} as const;
