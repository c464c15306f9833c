import { h } from '../base/dom.js';
import { renderText } from '../text/mrkdwn.js';
import { choicesOf, groupsOf, initialOptions, initialValues } from './choices.js';
import { createCombobox } from './combobox.js';
import { createFileField } from './file-field.js';

/** @import { AnyElement, BlockContext, BlockRef, Choice, ChoiceGroup, Directory, Field } from '../types.ts' */
/** @import { Checkboxes, MultiSelect, RadioButtons, RichTextBlock, Select } from '@slack/types' */

/** @typedef {Pick<BlockContext, 'directory' | 'suggest' | 'upload'>} FieldContext */

/**
 * @param {BlockRef} block
 * @param {AnyElement} element
 * @param {string} id
 * @param {FieldContext} context
 * @returns {Field | null} null when the page cannot show the element
 */
export function createField(block, element, id, context) {
  switch (element.type) {
    case 'plain_text_input': {
      const placeholder = element.placeholder?.text;
      return element.multiline
        ? textField(h('textarea', { id, rows: 5, placeholder }), element.initial_value)
        : textField(h('input', { id, type: 'text', placeholder }), element.initial_value);
    }
    case 'email_text_input':
    case 'url_text_input': {
      const type = element.type === 'email_text_input' ? 'email' : 'url';
      return textField(h('input', { id, type, placeholder: element.placeholder?.text }), element.initial_value);
    }
    case 'number_input': {
      const attributes = {
        placeholder: element.placeholder?.text,
        min: element.min_value,
        max: element.max_value,
        step: element.is_decimal_allowed ? 'any' : null,
      };
      return textField(h('input', { id, type: 'number', ...attributes }), element.initial_value);
    }
    case 'rich_text_input': {
      const { min_lines: rows = 5 } = /** @type {{ min_lines?: number }} */ (element); // missing in @slack/types
      const textarea = h('textarea', { id, rows, placeholder: element.placeholder?.text });
      return textField(textarea, textIn(element.initial_value));
    }
    case 'file_input':
      return context.upload ? createFileField(element, id, context.upload) : null;
    case 'datepicker':
      return textField(h('input', { id, type: 'date' }), element.initial_date);
    case 'timepicker':
      return textField(h('input', { id, type: 'time' }), element.initial_time);
    case 'datetimepicker':
      return dateTimeField(element, id);
    case 'checkboxes':
    case 'radio_buttons':
      return choiceField(element, id, context.directory);
    case 'external_select':
    case 'multi_external_select':
      return comboboxField(element, id, askApp(block, element, context), [], element.min_query_length ?? 3);
    case 'static_select':
    case 'users_select':
    case 'channels_select':
    case 'conversations_select':
      return selectField(element, id, context.directory);
    case 'multi_static_select':
    case 'multi_users_select':
    case 'multi_channels_select':
    case 'multi_conversations_select':
      return knownField(element, id, choicesOf(element, context.directory));
    default:
      return null;
  }
}

/** The text of a rich text, one line per section. Styles cannot be edited here. @param {RichTextBlock | undefined} value */
function textIn(value) {
  /** @typedef {{ type: string, elements?: Part[], text?: string, url?: string }} Part */
  /** @param {Part} part @returns {string} */
  const read = (part) =>
    part.elements?.map(read).join(part.type === 'rich_text_section' ? '' : '\n') ?? part.text ?? part.url ?? '';
  return value === undefined ? '' : read(/** @type {Part} */ (value));
}

/** @param {HTMLInputElement | HTMLTextAreaElement} input @param {string | undefined} initial @returns {Field} */
function textField(input, initial) {
  input.value = initial ?? '';
  return {
    node: input,
    focusable: input,
    read: () => input.value,
    write: (value) => {
      input.value = String(value);
    },
  };
}

/** Its value is in seconds since 1970, the input shows local time. @param {{ initial_date_time?: number }} element @param {string} id @returns {Field} */
function dateTimeField(element, id) {
  const input = h('input', { id, type: 'datetime-local' });
  /** @param {string} seconds */
  const write = (seconds) => {
    const date = new Date(Number(seconds) * 1000);
    const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
    input.value = seconds === '' ? '' : local.toISOString().slice(0, 16);
  };
  write(String(element.initial_date_time ?? ''));
  return {
    node: input,
    focusable: input,
    read: () => (input.value === '' ? '' : String(Math.floor(new Date(input.value).getTime() / 1000))),
    write: (value) => write(String(value)),
  };
}

/** @param {Checkboxes | RadioButtons} element @param {string} id @param {Directory} directory @returns {Field} */
function choiceField(element, id, directory) {
  const isRadio = element.type === 'radio_buttons';
  const initial = element.type === 'checkboxes' ? (element.initial_options ?? []) : [element.initial_option];
  const boxes = element.options.map(({ value }) =>
    h('input', {
      type: isRadio ? 'radio' : 'checkbox',
      name: id,
      value,
      checked: initial.some((option) => option?.value === value),
    }),
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
  const node = h('div', { class: 'choices', id, role: isRadio ? 'radiogroup' : 'group' }, ...labels);
  return {
    node,
    focusable: boxes[0] ?? node,
    isGroup: true,
    read: () => (isRadio ? (values()[0] ?? '') : values()),
    write: (value) => {
      for (const box of boxes) {
        box.checked = [value].flat().includes(box.value);
      }
    },
  };
}

/** @param {Select} element @param {string} id @param {Directory} directory @returns {Field} */
function selectField(element, id, directory) {
  const [initial] = initialValues(element);
  /** @param {Choice} choice */
  const option = ({ value, label }) => h('option', { value, selected: value === initial }, label);
  const groups = choicesOf(element, directory).map(({ label, choices }) =>
    label === null ? choices.map(option) : [h('optgroup', { label }, ...choices.map(option))],
  );
  const empty = h('option', { value: '' }, element.placeholder?.text ?? 'Choose…');
  const select = h('select', { id }, empty, ...groups.flat());
  return {
    node: select,
    focusable: select,
    read: () => select.value,
    write: (value) => {
      select.value = String(value);
    },
  };
}

/** @typedef {(typed: string) => Promise<{ groups: readonly ChoiceGroup[], failure?: string }>} Search */

/**
 * @param {Select | MultiSelect} element
 * @param {string} id
 * @param {Search} search
 * @param {readonly Choice[]} known whose labels the page knows before a search
 * @param {number} minLength
 * @returns {Field}
 */
function comboboxField(element, id, search, known, minLength) {
  return createCombobox({
    id,
    minLength,
    search,
    isMultiple: element.type.startsWith('multi_'),
    max: ('max_selected_items' in element ? element.max_selected_items : undefined) ?? Number.POSITIVE_INFINITY,
    placeholder: element.placeholder?.text ?? 'Type to search',
    initial: initialValues(element),
    choices: [...known, ...initialOptions(element)],
  });
}

/** @param {Select | MultiSelect} element @param {string} id @param {readonly ChoiceGroup[]} groups @returns {Field} */
function knownField(element, id, groups) {
  const known = groups.flatMap(({ choices }) => choices);
  return comboboxField(element, id, searchIn(groups), known, 0);
}

/** @param {readonly ChoiceGroup[]} groups @returns {Search} */
function searchIn(groups) {
  return async (typed) => ({
    groups: groups.map(({ label, choices }) => ({
      label,
      choices: choices.filter((choice) => choice.label.toLowerCase().includes(typed.toLowerCase())),
    })),
  });
}

/** @param {BlockRef} block @param {AnyElement} element @param {FieldContext} context @returns {Search} */
function askApp(block, element, context) {
  return async (typed) => {
    const answer = await context.suggest(block, element, typed);
    return answer.shown ? { groups: [], failure: answer.shown } : { groups: groupsOf(answer) };
  };
}
