/**
 * Ids that Slack sends back. Old messages keep their ids, so an id is never renamed and never reused for another meaning.
 */
export const COMMANDS = { incidents: '/incidents' } as const;

export const ACTIONS = {
  acknowledge: 'incident_acknowledge',
  resolve: 'incident_resolve',
  show: 'incident_show',
  steer: 'incident_change',
  more: 'incident_more',
  useNote: 'incident_use_note',
  resolveAnyway: 'incident_resolve_anyway',
  addLateNote: 'late_note_add',
  undo: 'action_undo',
  cancelPending: 'pending_cancel',
  linkRunbook: 'incident_link_runbook',
  linkGenerator: 'incident_link_generator',
  linkDashboard: 'incident_link_dashboard',
  linkTrace: 'incident_link_trace',
  openDashboard: 'dashboard_open',
  listMore: 'incidents_list_more',
  listBack: 'incidents_list_back',
  listRefresh: 'incidents_list_refresh',
  listRow: 'incidents_list_row',
  listAcknowledge: 'incidents_list_acknowledge',
  stormAcknowledge: 'storm_acknowledge_service',
  stormList: 'storm_list',
  stormListNext: 'storm_list_next',
  stormListPrevious: 'storm_list_previous',
  snooze: 'incident_snooze',
  snoozeEnd: 'incident_snooze_end',
  snoozeHour: 'incident_snooze_1h',
  snoozeHours: 'incident_snooze_4h',
  snoozeTomorrow: 'incident_snooze_tomorrow',
  signals: 'incident_signals',
  signalsType: 'signals_type',
  signalsService: 'signals_service',
  signalsPeriod: 'signals_period',
  signalsPrevious: 'signals_previous',
  signalsNext: 'signals_next',
  signalOpen: 'signal_open',
  causesOpen: 'signals_causes',
  muteEnd: 'mute_end',
  ruleAdd: 'rule_add',
  ruleEdit: 'rule_edit',
  ruleDelete: 'rule_delete',
  ruleDeleteAll: 'rule_delete_all',
  ruleRestore: 'rule_restore',
  ruleNarrow: 'rule_narrow',
} as const;

/** Fields whose options the bot sends while somebody types. */
export const OPTIONS = {
  ruleServices: 'rule_services',
  ruleLabels: 'rule_labels',
  serviceName: 'service_name',
} as const;

export const VIEWS = {
  resolve: 'incident_resolve_modal',
  note: 'incident_note_modal',
  declare: 'incident_declare_modal',
  mute: 'planned_mute_modal',
  steer: 'incident_change_modal',
  rule: 'rule_modal',
  ruleCheck: 'rule_check_modal',
} as const;

/** Callback ids of the manifest. */
export const SHORTCUTS = {
  openIncidents: 'open_incidents',
  addNote: 'add_note_to_incident',
  declare: 'declare_incident',
} as const;

/** The fields of the form of planned work; ids of blocks and elements. */
export const MUTE_FIELDS = {
  start: 'mute_start',
  length: 'mute_length',
  repeat: 'mute_repeat',
  reason: 'mute_reason',
} as const;

/** The fields of the modal "Add to incident". */
export const NOTE_INPUT = {
  incidentBlock: 'note_incident',
  incident: 'note_incident_id',
  noteBlock: 'incident_note',
  note: 'incident_note_text',
} as const;

/** The fields of the modal "Declare an incident". */
export const DECLARE_FIELDS = {
  title: 'declare_title',
  service: 'declare_service',
  severity: 'declare_severity',
  note: 'declare_note',
} as const;

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

/** The note field of the resolve modal. */
export const NO_PROBLEM_INPUT = { blockId: 'no_problem', actionId: 'no_problem_box', value: 'yes' } as const;
export const RESOLVE_INPUT = { blockId: 'resolution_note', actionId: 'resolution_note_text' } as const;

/** The block with the selects of the signals modal. */
export const SIGNAL_FILTER_BLOCK = 'signal_filter';

/** Message metadata by kind: the `event_type`, and the payload field with the id of the subject. */
export const MESSAGE_METADATA = {
  card: { eventType: 'tocsin_card', subjectField: 'incident_id' },
  storm: { eventType: 'tocsin_storm', subjectField: 'storm_id' },
  reply: { eventType: 'tocsin_reply', subjectField: 'incident_id' },
  reminder: { eventType: 'tocsin_reminder', subjectField: 'about_id' },
  alert: { eventType: 'tocsin_alert', subjectField: 'about_id' },
  answer: { eventType: 'tocsin_answer', subjectField: 'user_id' },
  handover: { eventType: 'tocsin_handover', subjectField: 'rule_id' },
  notice: { eventType: 'tocsin_notice', subjectField: 'event_id' },
  'sign-in': { eventType: 'tocsin_sign_in', subjectField: 'event_id' },
} as const;

/** Marks a duplicate that has replies, so it was replaced by a note instead of deleted. */
export const DUPLICATE_EVENT_TYPE = 'tocsin_duplicate';
