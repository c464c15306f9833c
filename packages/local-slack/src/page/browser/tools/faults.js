import { h, nextId } from '../base/dom.js';
import { local } from '../base/server.js';
import { FAULT_KINDS } from './fault-kinds.js';

/** @import { FaultStatus } from '../../../control/fault-control.ts' */
/** @import { PendingFault } from '../../../faults/faults.ts' */
/** @import { PageState } from '../../page-types.ts' */
/** @import { FaultField } from './fault-kinds.js' */

/** A form that breaks Slack, and the list of what is broken. @param {HTMLElement} node @param {() => PageState | null} readState */
export function createFaults(node, readState) {
  const kinds = h(
    'select',
    { id: 'fault-kind', onchange: drawFields },
    ...FAULT_KINDS.map(({ name }, index) => h('option', { value: index }, name)),
  );
  const fields = h('div', { class: 'fault-fields' });
  const failure = h('p', { class: 'failure', role: 'alert' });
  const active = h('ul', { class: 'active-faults', 'aria-label': 'Broken now' });
  const form = h(
    'form',
    { class: 'fault-form', onsubmit: submit },
    h('label', { for: 'fault-kind' }, 'What goes wrong'),
    kinds,
    fields,
    h('button', { type: 'submit', class: 'button danger' }, 'Break it'),
    failure,
  );
  const end = h('button', { type: 'button', class: 'button', onclick: () => request('DELETE') }, 'End all');
  node.append(form, h('h3', {}, 'Broken now'), active, end);

  function chosen() {
    const kind = FAULT_KINDS[Number(kinds.value)];
    if (kind === undefined) {
      throw new Error(`there is no fault ${kinds.value}`);
    }
    return kind;
  }

  function drawFields() {
    fields.replaceChildren(...chosen().fields.flatMap((field) => renderField(field, readState())));
  }

  /** @param {'GET' | 'POST' | 'DELETE'} method @param {object} [body] */
  async function request(method, body) {
    /** @type {Awaited<ReturnType<typeof local<FaultStatus>>>} */
    const { shown, faults = [], isAway = false, isSocketModeOn = true } = await local(method, 'faults', body);
    failure.textContent = shown ?? '';
    if (shown === null) {
      drawActive({ faults, isAway, isSocketModeOn });
    }
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const { kind, fixed } = chosen();
    const given = new FormData(form);
    const values = Object.fromEntries(chosen().fields.flatMap((field) => readField(field, given)));
    const place = kind === 'deleted-message' ? { channel: readState()?.channelId } : {};
    const span = 'calls' in values ? { seconds: undefined } : {};
    void request('POST', { kind, ...fixed, ...place, ...values, ...span });
  }

  /** @param {FaultStatus} status */
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
      await request('GET');
    },
  };
}

/** @param {FaultField} field @param {PageState | null} state @returns {HTMLElement[]} */
function renderField(field, state) {
  const id = nextId('fault');
  const { name, label, type, value, min, max, step, isOptional, options = [] } = field;
  if (type === 'several') {
    const boxes = options.map((each) =>
      h('label', {}, h('input', { type: 'checkbox', name, value: each, checked: true }), ` ${each}`),
    );
    return [h('fieldset', {}, h('legend', {}, label), ...boxes)];
  }
  const input =
    type === 'number' || type === 'text'
      ? h('input', { id, name, type, value, min, max, step, required: !isOptional })
      : h('select', { id, name, required: true }, ...renderOptions(field, state));
  return [h('label', { for: id }, label), input];
}

/** @param {FaultField} field @param {PageState | null} state */
function renderOptions({ type, options = [] }, state) {
  switch (type) {
    case 'channel':
      return (state?.channels ?? [])
        .filter(({ isDirect }) => !isDirect)
        .map((place) => h('option', { value: place.id, selected: place.id === state?.channelId }, `#${place.name}`));
    case 'message':
      return (state?.messages ?? [])
        .toReversed()
        .map(({ ts, text }) => h('option', { value: ts }, text.slice(0, 60) || `Message ${ts}`));
    default:
      return options.map((value) => h('option', { value }, value));
  }
}

/** The field as the API takes it. Empty optional fields are left out. @param {FaultField} field @param {FormData} given @returns {[string, unknown][]} */
function readField({ name, type, isOptional }, given) {
  if (type === 'several') {
    return [[name, given.getAll(name)]];
  }
  const value = given.get(name);
  if (isOptional && value === '') {
    return [];
  }
  return [[name, type === 'number' ? Number(value) : value]];
}

/** @param {PendingFault} pending */
function describe(pending) {
  switch (pending.kind) {
    case 'call': {
      const what = pending.fault.kind === 'error' ? pending.fault.error : nameOf(pending.fault.kind);
      const until =
        'until' in pending ? `until ${new Date(pending.until).toLocaleTimeString()}` : `${pending.calls} more`;
      return `${what}: ${pending.method === '*' ? 'every method' : pending.method}, ${until}`;
    }
    case 'plan':
      return `Random faults, seed ${pending.seed}: ${Math.round(pending.rate * 100)} %`;
    default:
      return `${nameOf(pending.kind)}: ${pending.count} more`;
  }
}

/** @param {string} kind */
function nameOf(kind) {
  return FAULT_KINDS.find((each) => each.kind === kind)?.name ?? kind;
}
