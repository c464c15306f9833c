/**
 * Ids that Slack sends back. Old messages keep their ids, so an id is never renamed and never reused for another meaning.
 */
export const COMMANDS = { incidents: '/incidents' } as const;

/** What the controls of an incident ask for, wherever they are. */
export const ACTIONS = {
  acknowledge: 'incident_acknowledge',
  resolve: 'incident_resolve',
  show: 'incident_show',
  steer: 'incident_change',
  more: 'incident_more',
  snooze: 'incident_snooze',
  snoozeEnd: 'incident_snooze_end',
  signals: 'incident_signals',
  room: 'incident_room',
  export: 'incident_export',
  note: 'incident_note',
  merge: 'incident_merge',
  split: 'incident_split',
  linkRunbook: 'incident_link_runbook',
  linkGenerator: 'incident_link_generator',
  linkDashboard: 'incident_link_dashboard',
  linkTrace: 'incident_link_trace',
} as const;
