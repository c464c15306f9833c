import { h, nextId } from './dom.js';
import { local } from './server.js';

const number = (name, label, value, more) => ({ name, label, type: 'number', value, min: 1, ...more });
const seconds = number('seconds', 'Seconds', 30);
const count = number('count', 'How many', 1);
const method = { name: 'method', label: 'Method (* is any)', type: 'text', value: '*' };
const channel = { name: 'channel', label: 'Channel', type: 'channel' };
/** Calls, where they are given, take the place of seconds. */
const span = [seconds, number('calls', 'Calls, instead of seconds', '', { isOptional: true })];
const PLANNED = ['rate_limited', 'stored-then-502', 'error', 'latency', 'dropped-ack', 'duplicate-event'];

/** What can be broken, in the words of a person, with what it needs; `kind` is the API's name. */
const FAULTS = [
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
    name: 'Connections to be renewed',
    fields: [{ name: 'reason', label: 'They are told', type: 'choice', options: ['refresh_requested', 'warning'] }],
  },
  { kind: 'socket-mode', name: 'Socket Mode switched off', fields: [], fixed: { on: false } },
  { kind: 'socket-mode', name: 'Socket Mode switched on', fields: [], fixed: { on: true } },
  { kind: 'deleted-message', name: 'Message deleted', fields: [{ name: 'ts', label: 'Message', type: 'message' }] },
  { kind: 'archived-channel', name: 'Channel archived', fields: [channel] },
  { kind: 'archived-channel', name: 'Channel brought back', fields: [channel], fixed: { archived: false } },
  {
    kind: 'plan',
    name: 'Faults by chance',
    fields: [
      { name: 'seed', label: 'Seed: the same gives the same day', type: 'text', value: 'monday' },
      number('rate', 'Of all calls, 0 to 1', 0.1, { min: 0, max: 1, step: 'any' }),
      { name: 'kinds', label: 'Which', type: 'several', options: PLANNED },
    ],
  },
];

/** Breaks Slack by a form, lists what is broken, and ends it. */
export function createFaults(node, readState) {
  const kinds = h(
    'select',
    { id: 'fault-kind', onchange: drawFields },
    ...FAULTS.map(({ name }, index) => h('option', { value: index }, name)),
  );
  const fields = h('div', { class: 'fault-fields' });
  const said = h('p', { class: 'failure', role: 'alert' });
  const active = h('ul', { class: 'active-faults', 'aria-label': 'Broken now' });
  const form = h(
    'form',
    { class: 'fault-form', onsubmit: submit },
    h('label', { for: 'fault-kind' }, 'What goes wrong'),
    kinds,
    fields,
    h('button', { type: 'submit', class: 'button danger' }, 'Break it'),
    said,
  );
  const end = h('button', { type: 'button', class: 'button', onclick: () => change('DELETE') }, 'End all');
  node.append(form, h('h3', {}, 'Broken now'), active, end);

  const chosen = () => FAULTS[Number(kinds.value)];

  function drawFields() {
    fields.replaceChildren(...chosen().fields.flatMap((field) => renderField(field, readState())));
  }

  async function change(verb, body) {
    const answer = await local(verb, 'faults', body);
    said.textContent = answer.shown ?? '';
    if (answer.shown === null) {
      drawActive(answer);
    }
  }

  function submit(event) {
    event.preventDefault();
    const { kind, fixed } = chosen();
    const given = new FormData(form);
    const values = Object.fromEntries(chosen().fields.flatMap((field) => readField(field, given)));
    const place = kind === 'deleted-message' ? { channel: readState().channelId } : {};
    void change('POST', { kind, ...fixed, ...place, ...values, ...(values.calls && { seconds: undefined }) });
  }

  function drawActive({ faults, isAway, isSocketModeOn }) {
    const lines = [
      ...(isAway ? ['Slack is away'] : []),
      ...(isSocketModeOn ? [] : ['Socket Mode is off']),
      ...faults.map(describe),
    ];
    active.replaceChildren(...(lines.length > 0 ? lines : ['Nothing']).map((line) => h('li', {}, line)));
    end.hidden = lines.length === 0;
  }

  return {
    async refresh() {
      if (fields.childElementCount === 0 && chosen().fields.length > 0) {
        drawFields();
      }
      await change('GET');
    },
  };
}

function renderField(field, state) {
  const id = nextId('fault');
  const { name, type, value, min, max, step, isOptional } = field;
  if (type === 'several') {
    const box = (each) =>
      h('label', {}, h('input', { type: 'checkbox', name, value: each, checked: true }), ` ${each}`);
    return [h('fieldset', {}, h('legend', {}, field.label), ...field.options.map(box))];
  }
  const options = OPTIONS[type]?.(state, field);
  const input =
    options === undefined
      ? h('input', { id, name, type, value, min, max, step, required: !isOptional })
      : h('select', { id, name, required: true }, ...options);
  return [h('label', { for: id }, field.label), input];
}

/** What is given for a field, as the API takes it; nothing where an optional one is empty. */
function readField({ name, type, isOptional }, given) {
  const value = given.get(name);
  if (type === 'several') {
    return [[name, given.getAll(name)]];
  }
  if (isOptional && value === '') {
    return [];
  }
  return [[name, type === 'number' ? Number(value) : value]];
}

const OPTIONS = {
  channel: channelOptions,
  choice: (_state, { options }) => options.map((value) => h('option', { value }, value)),
  /** Those of the channel that one looks at, the newest first. */
  message: (state) =>
    state.messages.toReversed().map(({ ts, text }) => h('option', { value: ts }, text.slice(0, 60) || `Message ${ts}`)),
};

function channelOptions(state) {
  return (state?.channels ?? [])
    .filter(({ isDirect }) => !isDirect)
    .map((place) => h('option', { value: place.id, selected: place.id === state.channelId }, `#${place.name}`));
}

/** One fault that is still to come, in a line. */
function describe(pending) {
  const names = Object.fromEntries(FAULTS.map(({ kind, name }) => [kind, name]));
  switch (pending.kind) {
    case 'call': {
      const what = pending.fault.error ?? names[pending.fault.kind] ?? pending.fault.kind;
      const until =
        pending.until === undefined ? `${pending.calls} more` : `until ${new Date(pending.until).toLocaleTimeString()}`;
      return `${what}: ${pending.method === '*' ? 'every method' : pending.method}, ${until}`;
    }
    case 'plan':
      return `By chance, seed ${pending.seed}: ${Math.round(pending.rate * 100)} %`;
    default:
      return `${names[pending.kind] ?? pending.kind}: ${pending.count} more`;
  }
}
