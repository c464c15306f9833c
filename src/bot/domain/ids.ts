/**
 * Every id that travels through Slack and comes back. Old messages keep theirs for years, so an id is never renamed
 * and never reused for another meaning.
 */
export const COMMANDS = { incidents: '/incidents' } as const;

export const ACTIONS = {
  acknowledge: 'incident_acknowledge',
  resolve: 'incident_resolve',
  show: 'incident_show',
  useNote: 'incident_use_note',
  cancelPending: 'pending_cancel',
  listMore: 'incidents_list_more',
  stormAcknowledge: 'storm_acknowledge_service',
  stormList: 'storm_list',
  stormListNext: 'storm_list_next',
  stormListPrevious: 'storm_list_previous',
} as const;

export const VIEWS = { resolve: 'incident_resolve_modal' } as const;

/** The note's place inside the resolve modal. */
export const RESOLVE_INPUT = { blockId: 'resolution_note', actionId: 'resolution_note_text' } as const;

/** The metadata that each message carries, by kind: its `event_type`, and the field of its payload that names its subject. */
export const MESSAGE_METADATA = {
  card: { eventType: 'tocsin_card', subjectField: 'incident_id' },
  storm: { eventType: 'tocsin_storm', subjectField: 'storm_id' },
  reply: { eventType: 'tocsin_reply', subjectField: 'incident_id' },
  answer: { eventType: 'tocsin_answer', subjectField: 'user_id' },
} as const;

/** A duplicate of a message that has replies and is therefore kept as a note. */
export const DUPLICATE_EVENT_TYPE = 'tocsin_duplicate';
