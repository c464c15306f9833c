/**
 * @typedef {object} FaultField
 * @property {string} name as in the API
 * @property {string} label
 * @property {'number' | 'text' | 'channel' | 'message' | 'choice' | 'several'} type
 * @property {string | number} [value]
 * @property {number} [min]
 * @property {number} [max]
 * @property {string} [step]
 * @property {boolean} [isOptional]
 * @property {readonly string[]} [options]
 */

/**
 * @typedef {object} FaultKind
 * @property {string} kind as in the API
 * @property {string} name
 * @property {readonly FaultField[]} fields
 * @property {object} [fixed] further fields of the request
 */

/** @param {string} name @param {string} label @param {number | ''} value @param {Partial<FaultField>} [more] @returns {FaultField} */
function number(name, label, value, more) {
  return { name, label, type: 'number', value, min: 1, ...more };
}

const seconds = number('seconds', 'Seconds', 30);
const count = number('count', 'How many', 1);
/** @type {FaultField} */
const method = { name: 'method', label: 'Method (* for all)', type: 'text', value: '*' };
/** @type {FaultField} */
const channel = { name: 'channel', label: 'Channel', type: 'channel' };
/** A number of calls replaces the seconds. */
const span = [seconds, number('calls', 'Calls, instead of seconds', '', { isOptional: true })];
const PLANNED = ['rate_limited', 'stored-then-502', 'error', 'latency', 'dropped-ack', 'duplicate-event'];

/** The faults of `POST /local/faults`. @type {readonly FaultKind[]} */
export const FAULT_KINDS = [
  {
    kind: 'rate_limited',
    name: 'Rate limits (429)',
    fields: [method, number('retry_after', 'Retry-After, seconds', 30), ...span],
  },
  { kind: 'stored-then-502', name: 'Done, but answered 502', fields: [method, ...span] },
  {
    kind: 'error',
    name: 'An error',
    fields: [method, { name: 'error', label: 'Error', type: 'text', value: 'internal_error' }, ...span],
  },
  { kind: 'latency', name: 'Slow answers', fields: [method, number('ms', 'Milliseconds', 3000), ...span] },
  { kind: 'token_revoked', name: 'Token revoked', fields: [seconds] },
  { kind: 'away', name: 'Slack is away', fields: [seconds] },
  { kind: 'dropped-acks', name: 'Acknowledgements lost', fields: [count] },
  { kind: 'duplicate-events', name: 'Events twice', fields: [count] },
  { kind: 'cut-sockets', name: 'Connections cut', fields: [] },
  {
    kind: 'refresh-sockets',
    name: 'Connections renewed',
    fields: [{ name: 'reason', label: 'Reason', type: 'choice', options: ['refresh_requested', 'warning'] }],
  },
  { kind: 'socket-mode', name: 'Socket Mode switched off', fields: [], fixed: { on: false } },
  { kind: 'socket-mode', name: 'Socket Mode switched on', fields: [], fixed: { on: true } },
  { kind: 'deleted-message', name: 'Message deleted', fields: [{ name: 'ts', label: 'Message', type: 'message' }] },
  { kind: 'archived-channel', name: 'Channel archived', fields: [channel] },
  { kind: 'archived-channel', name: 'Channel restored', fields: [channel], fixed: { archived: false } },
  {
    kind: 'plan',
    name: 'Random faults',
    fields: [
      { name: 'seed', label: 'Seed: the same seed gives the same faults', type: 'text', value: 'monday' },
      number('rate', 'Share of all calls, 0 to 1', 0.1, { min: 0, max: 1, step: 'any' }),
      { name: 'kinds', label: 'Kinds', type: 'several', options: PLANNED },
    ],
  },
];
