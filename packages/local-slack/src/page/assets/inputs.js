import { createChooser } from './chooser.js';
import { h } from './dom.js';
import { fileField } from './files.js';
import { renderText } from './mrkdwn.js';

/**
 * A field for one input element: its node, the node a label names, and what stands in it now (text, list, or '').
 *
 * @typedef {{ node: HTMLElement, focusable: HTMLElement, isGroup?: boolean, read: () => string | string[],
 *   write: (value: string | string[]) => void, ready?: () => Promise<void> }} Field
 */

const TEXT_TYPES = { email_text_input: 'email', url_text_input: 'url' };

/**
 * @param {{ directory: object, suggest: (block: object, element: object, typed: string) => Promise<object>, upload?: Function }} context
 * @returns {Field | null} null for an element that the page cannot show
 */
export function createField(block, element, id, context) {
  const placeholder = element.placeholder?.text ?? null;
  switch (element.type) {
    case 'plain_text_input':
      return element.multiline
        ? textField(h('textarea', { id, rows: 5, placeholder }), element.initial_value)
        : textField(h('input', { id, type: 'text', placeholder }), element.initial_value);
    case 'email_text_input':
    case 'url_text_input':
      return textField(h('input', { id, type: TEXT_TYPES[element.type], placeholder }), element.initial_value);
    case 'number_input': {
      const limits = {
        min: element.min_value,
        max: element.max_value,
        step: element.is_decimal_allowed ? 'any' : null,
      };
      return textField(h('input', { id, type: 'number', placeholder, ...limits }), element.initial_value);
    }
    case 'rich_text_input':
      return textField(h('textarea', { id, rows: element.min_lines ?? 5, placeholder }), textIn(element.initial_value));
    case 'file_input':
      return context.upload ? fileField(element, id, context.upload) : null;
    case 'datepicker':
      return textField(h('input', { id, type: 'date' }), element.initial_date);
    case 'timepicker':
      return textField(h('input', { id, type: 'time' }), element.initial_time);
    case 'datetimepicker':
      return momentField(element, id);
    case 'checkboxes':
    case 'radio_buttons':
      return choiceField(element, id, context.directory);
    case 'external_select':
    case 'multi_external_select':
      return chooserField(element, id, suggestionsOf(block, element, context), element.min_query_length ?? 3);
    case 'static_select':
    case 'users_select':
    case 'channels_select':
    case 'conversations_select':
      return selectField(element, id, placeholder, context.directory);
    case 'multi_static_select':
    case 'multi_users_select':
    case 'multi_channels_select':
    case 'multi_conversations_select':
      return chooserField(element, id, searchIn(choicesOf(element, context.directory)), 0);
    default:
      return null;
  }
}

/** The words of a rich text, each line on its own; its styles are not edited here. */
function textIn(part) {
  const inside = part?.elements?.map(textIn).join(part.type === 'rich_text_section' ? '' : '\n');
  return inside ?? part?.text ?? part?.url ?? '';
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

/** Seconds since 1970 outside, the clock of the reader's own zone inside. */
function momentField(element, id) {
  const input = h('input', { id, type: 'datetime-local' });
  const write = (seconds) => {
    const date = new Date(Number(seconds) * 1000);
    const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
    input.value = seconds === '' ? '' : local.toISOString().slice(0, 16);
  };
  write(element.initial_date_time ?? '');
  const read = () => (input.value === '' ? '' : `${Math.floor(new Date(input.value).getTime() / 1000)}`);
  return { node: input, focusable: input, read, write };
}

function choiceField(element, id, directory) {
  const type = element.type === 'checkboxes' ? 'checkbox' : 'radio';
  const chosen = (element.initial_options ?? [element.initial_option]).map((option) => option?.value);
  const boxes = element.options.map((option) =>
    h('input', { type, name: id, value: option.value, checked: chosen.includes(option.value) }),
  );
  const labels = element.options.map((option, index) =>
    h(
      'label',
      { class: 'choice' },
      boxes[index],
      h(
        'span',
        {},
        ...renderText(option.text, directory),
        option.description && h('small', {}, ...renderText(option.description, directory)),
      ),
    ),
  );
  const values = () => boxes.filter((box) => box.checked).map((box) => box.value);
  return {
    node: h('div', { class: 'choices', id, role: type === 'radio' ? 'radiogroup' : 'group' }, ...labels),
    focusable: boxes[0],
    isGroup: true,
    read: () => (type === 'radio' ? (values()[0] ?? '') : values()),
    write: (value) => {
      for (const box of boxes) {
        box.checked = [value].flat().includes(box.value);
      }
    },
  };
}

function selectField(element, id, placeholder, directory) {
  const [initial] = initialChoices(element);
  const option = ({ value, label }) => h('option', { value, selected: value === initial }, label);
  const groups = choicesOf(element, directory).map(({ label, choices }) =>
    label === null ? choices.map(option) : h('optgroup', { label }, ...choices.map(option)),
  );
  const select = h('select', { id }, h('option', { value: '' }, placeholder ?? 'Choose…'), ...groups);
  return {
    node: select,
    focusable: select,
    read: () => select.value,
    write: (value) => {
      select.value = value;
    },
  };
}

function chooserField(element, id, search, minLength) {
  return createChooser({
    id,
    minLength,
    search,
    isMultiple: element.type.startsWith('multi_'),
    most: element.max_selected_items ?? Number.POSITIVE_INFINITY,
    placeholder: element.placeholder?.text ?? 'Type to search',
    initial: initialChoices(element),
    labels: (element.initial_options ?? [element.initial_option])
      .filter((option) => option !== undefined)
      .map((option) => ({ value: option.value, label: option.text.text })),
  });
}

function searchIn(groups) {
  return async (typed) => ({
    groups: groups.map(({ label, choices }) => ({
      label,
      choices: choices.filter((choice) => choice.label.toLowerCase().includes(typed.toLowerCase())),
    })),
  });
}

/** The app itself is asked, and answers within three seconds. */
function suggestionsOf(block, element, context) {
  return async (typed) => {
    const answer = await context.suggest(block, element, typed);
    return answer.shown ? { groups: [], trouble: answer.shown } : { groups: groupsOf(answer) };
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
    const shown = directory.channels.filter(({ isDirect }) => !isDirect || element.type.includes('conversations'));
    const name = (channel) => (channel.isDirect ? channel.name : `#${channel.name}`);
    return [{ label: null, choices: shown.map((channel) => ({ value: channel.id, label: name(channel) })) }];
  }
  return groupsOf(element);
}

function groupsOf({ options, option_groups: groups }) {
  const toChoices = (list) => list.map((each) => ({ value: each.value, label: each.text.text }));
  if (groups !== undefined) {
    return groups.map((group) => ({ label: group.label.text, choices: toChoices(group.options) }));
  }
  return [{ label: null, choices: toChoices(options ?? []) }];
}
