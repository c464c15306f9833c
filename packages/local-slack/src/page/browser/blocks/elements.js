import { byId, h, safeUrl } from '../base/dom.js';
import { createMenu } from '../base/menu.js';
import { perform } from '../base/server.js';
import { renderText } from '../text/mrkdwn.js';
import { chosenIn, renderField, valuesIn } from './fields.js';

/** @import { AnyBlock, AnyElement, AnyInput, BlockContext, Directory, InputValue } from '../types.ts' */
/** @import { Button, ConfirmationDialog, Overflow } from '@slack/types' */

/**
 * An interactive element outside an input block, and where its failure is shown.
 *
 * @param {AnyBlock} block
 * @param {AnyElement} element
 * @param {BlockContext} context
 */
export function renderInteractive(block, element, context) {
  const key = keyOf(block, element);
  const control = renderControl(block, element, key, context);
  const failure = h('span', { class: 'failure', role: 'alert', 'data-live': true });
  return h('span', { class: 'action', 'data-key': key }, control, failure);
}

/** @param {AnyBlock} block @param {AnyElement} element */
function keyOf({ block_id: block }, { action_id: action }) {
  return [block, action ?? ''].map(encodeURIComponent).join('/');
}

/** @param {AnyBlock} block @param {AnyElement} element @param {string} key @param {BlockContext} context */
function renderControl(block, element, key, context) {
  switch (element.type) {
    case 'button':
      return renderButton(block, element, key, context);
    case 'overflow':
      return renderOverflow(block, element, key, context);
    default: {
      const id = `${context.prefix}/${key}`;
      const field = renderField(element, { id, key, onchange: chooses(block, element, context) }, context);
      const { placeholder } = /** @type {{ placeholder?: { text: string } }} */ (element);
      (field.querySelector('input[list]') ?? field).setAttribute('aria-label', placeholder?.text ?? nameOf(element));
      return field;
    }
  }
}

/** @param {AnyElement} element */
function nameOf({ type }) {
  return { datepicker: 'Date', timepicker: 'Time', datetimepicker: 'Date and time' }[String(type)] ?? 'Choose';
}

/** The listener of a field whose value goes to the app. @param {AnyBlock} block @param {AnyElement} element @param {BlockContext} context */
function chooses(block, element, context) {
  return (/** @type {Event} */ { currentTarget }) => {
    const field = /** @type {HTMLElement} */ (currentTarget);
    return use(field, { block, element, context, chosen: chosenIn(field) });
  };
}

/** @param {AnyBlock} block @param {Button} element @param {string} key @param {BlockContext} context */
function renderButton(block, element, key, context) {
  const attributes = {
    type: 'button',
    class: `button ${element.style ?? ''}`,
    'aria-label': element.accessibility_label,
    'data-key': key,
    onclick: (/** @type {Event} */ { currentTarget }) =>
      use(/** @type {HTMLElement} */ (currentTarget), { block, element, context, url: element.url }),
  };
  return h('button', attributes, element.text.text);
}

/** @param {AnyBlock} block @param {Overflow} element @param {string} key @param {BlockContext} context */
function renderOverflow(block, element, key, context) {
  const items = () =>
    element.options.map((option) => {
      const url = 'url' in option ? option.url : undefined;
      return {
        text: option.text.text,
        description: option.description?.text,
        run: (/** @type {HTMLElement} */ button) =>
          use(button, { block, element, context, chosen: option.value ?? '', url }),
      };
    });
  return createMenu({ label: 'More choices', text: '⋯', class: 'button overflow', key, items });
}

/**
 * @typedef {object} Use
 * @property {AnyBlock} block
 * @property {AnyElement} element
 * @property {BlockContext} context
 * @property {InputValue} [chosen]
 * @property {string | undefined} [url] opened, too
 */

/**
 * Sends what a person does with a control to the app, after its confirm dialog. The control is busy meanwhile and not
 * disabled, because that would lose the focus; another use of it is ignored.
 *
 * @param {HTMLElement} control
 * @param {Use} action
 */
async function use(control, { block, element, context, chosen, url }) {
  const { confirm: question } = /** @type {{ confirm?: ConfirmationDialog }} */ (element);
  const safe = safeUrl(url);
  if (safe !== null) {
    window.open(safe, '_blank', 'noopener,noreferrer');
  }
  if (control.ariaBusy === 'true' || !(await confirm(question, context.directory))) {
    return;
  }
  const failure = control.closest('.action')?.querySelector('.failure');
  failure?.replaceChildren();
  control.ariaBusy = 'true';
  const { shown } = await perform('click', {
    place: context.place,
    target: { blockId: block.block_id, actionId: element.action_id },
    chosen: chosen ?? null,
    values: valuesIn(control.closest('[data-place]') ?? document.createDocumentFragment()),
  });
  control.ariaBusy = 'false';
  failure?.replaceChildren(shown ?? '');
}

/** Shows the confirm dialog of an element. True at once when there is none. @param {ConfirmationDialog | undefined} question @param {Directory} directory @returns {Promise<boolean>} */
function confirm(question, directory) {
  if (question === undefined) {
    return Promise.resolve(true);
  }
  const dialog = byId('confirm', HTMLDialogElement);
  /** @param {string} text @param {string} className @param {string} value */
  const button = (text, className, value) =>
    h(
      'button',
      { type: 'button', class: `button ${className}`, autofocus: value === 'yes', onclick: () => dialog.close(value) },
      text,
    );
  dialog.replaceChildren(
    h('h2', { id: 'confirm-title' }, question.title?.text ?? ''),
    h('p', { class: 'text' }, ...renderText(question.text, directory)),
    h(
      'footer',
      {},
      button(question.deny?.text ?? 'No', '', ''),
      button(question.confirm?.text ?? 'Yes', question.style ?? 'primary', 'yes'),
    ),
  );
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/** An input with its label, hint and error. @param {AnyInput} block @param {BlockContext} context */
export function renderInput(block, context) {
  const { element } = block;
  const key = keyOf(block, element);
  const id = `${context.prefix}/${key}`;
  const onchange = block.dispatch_action ? chooses(block, element, context) : undefined;
  const field = renderField(element, { id, key, onchange }, context);
  const isGroup = field.role === 'group' || field.role === 'radiogroup';
  const labelled = field.querySelector('input[list]') ?? field;
  labelled.setAttribute('aria-describedby', `${id}-error ${id}-hint`);
  labelled.setAttribute(
    isGroup ? 'aria-labelledby' : 'aria-required',
    isGroup ? `${id}-label` : String(!block.optional),
  );
  labelled.toggleAttribute('data-focus', /** @type {{ focus_on_load?: boolean }} */ (element).focus_on_load === true);
  return h(
    'div',
    { class: 'block input', 'data-key': block.block_id },
    h(
      isGroup ? 'div' : 'label',
      { class: 'label', for: isGroup ? null : id, id: `${id}-label` },
      block.label.text,
      block.optional && h('span', { class: 'soft' }, ' (optional)'),
    ),
    field,
    h('p', { class: 'failure', id: `${id}-error`, role: 'alert' }, context.errors?.[block.block_id]),
    h('p', { class: 'hint', id: `${id}-hint` }, block.hint?.text),
  );
}
