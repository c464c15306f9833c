/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const STEER_FORMS = { steer: 'incident_change_modal' } as const;

/** The fields of the modal "Change incident". */
export const STEER_FIELDS = {
  title: 'change_title',
  severity: 'change_severity',
  root: 'change_root',
  lead: 'change_lead',
  leadGroup: 'change_lead_group',
  communications: 'change_communications',
  communicationsGroup: 'change_communications_group',
} as const;
