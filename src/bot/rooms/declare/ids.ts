/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const DECLARE_FORMS = { declare: 'incident_declare_modal' } as const;
export const DECLARE_SHORTCUTS = { declare: 'declare_incident' } as const;
export const DECLARE_OPTIONS = { serviceName: 'service_name' } as const;

/** The fields of the modal "Declare an incident". */
export const DECLARE_FIELDS = {
  title: 'declare_title',
  service: 'declare_service',
  severity: 'declare_severity',
  note: 'declare_note',
} as const;
