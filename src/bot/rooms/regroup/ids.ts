/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const REGROUP_FORMS = { merge: 'incident_merge_modal' } as const;

/** The field of the modal "Merge incident". */
export const MERGE_FIELDS = { into: 'merge_into' } as const;
