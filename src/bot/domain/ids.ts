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

/** `event_type` of the metadata that each message carries, by kind. */
export const MESSAGE_EVENT_TYPES = {
  card: 'tocsin_card',
  storm: 'tocsin_storm',
  reply: 'tocsin_reply',
  answer: 'tocsin_answer',
} as const;

/** A duplicate of a message that has replies and is therefore kept as a note. */
export const DUPLICATE_EVENT_TYPE = 'tocsin_duplicate';
