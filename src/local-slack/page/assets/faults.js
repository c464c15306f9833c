import { h, nextId } from './dom.js';
import { local } from './server.js';

const seconds = { name: 'seconds', label: 'Seconds', type: 'number', value: 30, min: 1 };
const count = { name: 'count', label: 'How many', type: 'number', value: 1, min: 1 };
const method = { name: 'method', label: 'Method (* is any)', type: 'text', value: '*' };
const channel = { name: 'channel', label: 'Channel', type: 'channel' };

/** What can be broken, in the words of a person, with what it needs; `kind` is the API's name. */
const FAULTS = [
  {
    kind: 'rate_limited',
    name: 'Rate limits (429)',
    fields: [
      method,
      { name: 'retry_after', label: 'Retry-After, seconds', type: 'number', value: 30, min: 1 },
      seconds,
    ],
  },
  { kind: 'stored-then-502', name: 'Done, but answered 502', fields: [method, seconds] },
  {
    kind: 'error',
    name: 'An error',
    fields: [method, { name: 'error', label: 'Error', type: 'text', value: 'internal_error' }, seconds],
  },
  {
    kind: 'latency',
    name: 'Slow answers',
    fields: [method, { name: 'ms', label: 'Milliseconds', type: 'number', value: 3000, min: 1 }, seconds],
  },
  { kind: 'token_revoked', name: 'Token revoked', fields: [seconds] },
  { kind: 'away', name: 'Slack is away', fields: [seconds] },
  { kind: 'dropped-acks', name: 'Acknowledgements lost', fields: [count] },
  { kind: 'duplicate-events', name: 'Events twice', fields: [count] },
  { kind: 'cut-sockets', name: 'Connections cut', fields: [] },
  { kind: 'refresh-sockets', name: 'Connections to be renewed', fields: [] },
  { kind: 'archived-channel', name: 'Channel archived', fields: [channel] },
  { kind: 'archived-channel', name: 'Channel brought back', fields: [channel], fixed: { archived: false } },
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
    const values = chosen().fields.map(({ name, type }) => {
      const { value } = form.elements.namedItem(name);
      return [name, type === 'number' ? Number(value) : value];
    });
    void change('POST', { kind: chosen().kind, ...chosen().fixed, ...Object.fromEntries(values) });
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
  const input =
    field.type === 'channel'
      ? h('select', { id, name: field.name }, ...channelOptions(state))
      : h('input', { id, name: field.name, type: field.type, value: field.value, min: field.min, required: true });
  return [h('label', { for: id }, field.label), input];
}

function channelOptions(state) {
  return (state?.channels ?? [])
    .filter(({ kind }) => kind !== 'im')
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
