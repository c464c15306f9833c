import { h } from '../base/dom.js';
import { renderText } from '../text/mrkdwn.js';
import { choicesOf, chosenAtFirst } from './choices.js';
import { createChooser } from './chooser.js';

/** @import { AnyField, BlockContext, FieldOptions, InputValue } from '../types.ts' */
/** @import { Checkboxes, RadioButtons, Select } from '@slack/types' */

/**
 * A native field for an element. Its value is read from the page, by `valuesIn`.
 *
 * @param {AnyField} element
 * @param {FieldOptions} options
 * @param {BlockContext} context
 * @returns {HTMLElement}
 */
export function renderField(element, { id, key, onchange }, context) {
  const attributes = { id, 'data-field': key, 'data-key': key, onchange };
  switch (element.type) {
    case 'plain_text_input': {
      const placeholder = element.placeholder?.text;
      const { initial_value: value } = element;
      return element.multiline
        ? h('textarea', { ...attributes, rows: 5, placeholder }, value)
        : h('input', { ...attributes, type: 'text', placeholder, value });
    }
    case 'email_text_input':
    case 'url_text_input': {
      const type = element.type === 'email_text_input' ? 'email' : 'url';
      return h('input', { ...attributes, type, placeholder: element.placeholder?.text, value: element.initial_value });
    }
    case 'number_input':
      return h('input', {
        ...attributes,
        type: 'number',
        placeholder: element.placeholder?.text,
        min: element.min_value,
        max: element.max_value,
        step: element.is_decimal_allowed ? 'any' : null,
        value: element.initial_value,
      });
    case 'datepicker':
      return h('input', { ...attributes, type: 'date', value: element.initial_date });
    case 'timepicker':
      return h('input', { ...attributes, type: 'time', value: element.initial_time });
    case 'datetimepicker':
      return h('input', { ...attributes, type: 'datetime-local', value: localTime(element.initial_date_time) });
    case 'checkboxes':
    case 'radio_buttons':
      return renderBoxes(element, attributes, context);
    case 'static_select':
    case 'users_select':
    case 'channels_select':
    case 'conversations_select':
      return renderSelect(element, attributes, context);
    case 'external_select':
    case 'multi_external_select':
    case 'multi_static_select':
    case 'multi_users_select':
    case 'multi_channels_select':
    case 'multi_conversations_select':
      return createChooser(element, { id, key, onchange }, context);
  }
}

/** @param {number | undefined} seconds @returns {string | null} as an input of date and time takes it */
function localTime(seconds) {
  if (seconds === undefined) {
    return null;
  }
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @typedef {Record<string, string | ((event: Event) => unknown) | undefined>} Attributes */

/** @param {Checkboxes | RadioButtons} element @param {Attributes} attributes @param {BlockContext} context */
function renderBoxes(element, attributes, { directory }) {
  const isRadio = element.type === 'radio_buttons';
  const initial = [isRadio ? element.initial_option : (element.initial_options ?? [])].flat();
  const type = isRadio ? 'radio' : 'checkbox';
  const labels = element.options.map(({ value, text, description }) =>
    h(
      'label',
      { class: 'choice' },
      h('input', { type, name: attributes.id, value, checked: initial.some((option) => option?.value === value) }),
      h(
        'span',
        {},
        ...renderText(text, directory),
        description && h('small', {}, ...renderText(description, directory)),
      ),
    ),
  );
  return h('div', { ...attributes, class: 'choices', role: isRadio ? 'radiogroup' : 'group' }, ...labels);
}

/** @param {Select} element @param {Attributes} attributes @param {BlockContext} context */
function renderSelect(element, attributes, { directory }) {
  const choices = choicesOf(element, directory);
  const [initial] = chosenAtFirst(element, choices);
  const options = choices.map(({ value, label }) => h('option', { value, selected: value === initial?.value }, label));
  return h('select', attributes, h('option', { value: '' }, element.placeholder?.text ?? 'Choose…'), ...options);
}

/** What is typed and chosen in a message or view, by `block_id/action_id`. @param {ParentNode} root @returns {Record<string, InputValue>} */
export function valuesIn(root) {
  const fields = [...root.querySelectorAll('[data-field]')].filter((field) => field instanceof HTMLElement);
  return Object.fromEntries(fields.map((field) => [field.dataset.field ?? '', chosenIn(field)]));
}

/** @param {HTMLElement} field @returns {InputValue} */
export function chosenIn(field) {
  if (field instanceof HTMLInputElement && field.type === 'datetime-local') {
    return field.value === '' ? '' : String(new Date(field.value).getTime() / 1000);
  }
  if ('value' in field) {
    return String(field.value);
  }
  const chosen = [...field.querySelectorAll('input:checked, button[value]')].map(
    (each) => /** @type {HTMLInputElement | HTMLButtonElement} */ (each).value,
  );
  return field.role === 'radiogroup' || field.dataset.isSingle !== undefined ? (chosen[0] ?? '') : chosen;
}
