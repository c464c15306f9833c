import { h } from './dom.js';
import { renderPlain } from './mrkdwn.js';

/**
 * A field for one input element: its node, the node a label names, and what stands in it now (text, list, or '').
 *
 * @typedef {{ node: HTMLElement, focusable: HTMLElement, read: () => string | string[], write: (value: string | string[]) => void }} Field
 */

const TEXT_TYPES = { email_text_input: 'email', url_text_input: 'url', number_input: 'number' };
const DATE_TYPES = { datepicker: ['date', 'initial_date'], timepicker: ['time', 'initial_time'] };

/** @returns {Field | null} null for an element that the page cannot show */
export function createField(element, id, directory) {
  const placeholder = element.placeholder?.text ?? null;
  if (element.type === 'plain_text_input' && element.multiline) {
    return textField(h('textarea', { id, rows: 5, placeholder }), element.initial_value);
  }
  if (element.type === 'plain_text_input') {
    return textField(h('input', { id, type: 'text', placeholder }), element.initial_value);
  }
  if (Object.hasOwn(TEXT_TYPES, element.type)) {
    const step = element.is_decimal_allowed ? 'any' : null;
    return textField(h('input', { id, type: TEXT_TYPES[element.type], step, placeholder }), element.initial_value);
  }
  if (Object.hasOwn(DATE_TYPES, element.type)) {
    const [type, initial] = DATE_TYPES[element.type];
    return textField(h('input', { id, type }), element[initial]);
  }
  if (element.type === 'checkboxes' || element.type === 'radio_buttons') {
    return choiceField(element, id);
  }
  if (
    element.type.endsWith('_select') &&
    element.type !== 'external_select' &&
    element.type !== 'multi_external_select'
  ) {
    return selectField(element, id, placeholder, directory);
  }
  return null;
}

function textField(input, initial) {
  input.value = initial ?? '';
  return {
    node: input,
    focusable: input,
    read: () => input.value,
    write: (value) => {
      input.value = value;
    },
  };
}

function choiceField(element, id) {
  const type = element.type === 'checkboxes' ? 'checkbox' : 'radio';
  const chosen = (element.initial_options ?? [element.initial_option]).map((option) => option?.value);
  const boxes = element.options.map((option) =>
    h('input', { type, name: id, value: option.value, checked: chosen.includes(option.value) }),
  );
  const labels = element.options.map((option, index) =>
    h('label', { class: 'choice' }, boxes[index], h('span', {}, renderPlain(option.text.text))),
  );
  const values = () => boxes.filter((box) => box.checked).map((box) => box.value);
  return {
    node: h('div', { class: 'choices', id, role: type === 'radio' ? 'radiogroup' : 'group', tabindex: -1 }, ...labels),
    focusable: boxes[0],
    read: () => (type === 'radio' ? (values()[0] ?? '') : values()),
    write: (value) => {
      for (const box of boxes) {
        box.checked = [value].flat().includes(box.value);
      }
    },
  };
}

function selectField(element, id, placeholder, directory) {
  const multiple = element.type.startsWith('multi_');
  const initial = initialChoices(element);
  const option = ({ value, label }) => h('option', { value, selected: initial.includes(value) }, label);
  const groups = choicesOf(element, directory).map(({ label, choices }) =>
    label === null ? choices.map(option) : h('optgroup', { label }, ...choices.map(option)),
  );
  const empty = multiple ? null : h('option', { value: '' }, placeholder ?? 'Choose…');
  const select = h('select', { id, multiple }, empty, ...groups);
  const values = () => [...select.selectedOptions].map((each) => each.value);
  return {
    node: select,
    focusable: select,
    read: () => (multiple ? values() : select.value),
    write: (value) => {
      for (const each of select.options) {
        each.selected = [value].flat().includes(each.value);
      }
    },
  };
}

function initialChoices(element) {
  const options = element.initial_options ?? (element.initial_option ? [element.initial_option] : []);
  const single = [element.initial_user, element.initial_channel, element.initial_conversation];
  const many = [element.initial_users, element.initial_channels, element.initial_conversations];
  return [...options.map((option) => option.value), ...single, ...many.flat()].filter((value) => value !== undefined);
}

function choicesOf(element, directory) {
  if (element.type.includes('users_select')) {
    const choices = directory.people.map((person) => ({ value: person.id, label: person.realName }));
    return [{ label: null, choices }];
  }
  if (element.type.includes('channels_select') || element.type.includes('conversations_select')) {
    const choices = directory.channels.map((channel) => ({ value: channel.id, label: `#${channel.name}` }));
    return [{ label: null, choices }];
  }
  const toChoices = (options) => options.map((each) => ({ value: each.value, label: each.text.text }));
  if (element.option_groups !== undefined) {
    return element.option_groups.map((group) => ({ label: group.label.text, choices: toChoices(group.options) }));
  }
  return [{ label: null, choices: toChoices(element.options ?? []) }];
}
