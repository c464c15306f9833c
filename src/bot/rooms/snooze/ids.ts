/** Ids that Slack sends back. Old messages keep them, so none is renamed or used for another meaning. */
export const SNOOZE_BUTTONS = {
  snoozeHour: 'incident_snooze_1h',
  snoozeHours: 'incident_snooze_4h',
  snoozeTomorrow: 'incident_snooze_tomorrow',
  muteEnd: 'mute_end',
} as const;
export const SNOOZE_FORMS = { mute: 'planned_mute_modal' } as const;

/** The fields of the form of planned work; ids of blocks and elements. */
export const MUTE_FIELDS = {
  start: 'mute_start',
  length: 'mute_length',
  repeat: 'mute_repeat',
  reason: 'mute_reason',
} as const;
