import { byId, h } from '../base/dom.js';
import { morphChildren } from '../base/morph.js';
import { perform } from '../base/server.js';
import { renderBlock } from '../blocks/blocks.js';
import { valuesIn } from '../blocks/fields.js';

/** @import { View } from '../../../workspace/model.ts' */
/** @import { PageState } from '../../page-types.ts' */
/** @import { AnyBlock, Directory } from '../types.ts' */

const FIELD = '[data-field]:not(.choices, .chooser), .choices input, .chooser input';

/** @param {View} view @param {Directory} directory */
function renderBlocks({ id, content, errors }, directory) {
  const blocks = /** @type {readonly AnyBlock[]} */ (/** @type {unknown} */ (content.blocks)); // validated by the server
  return blocks.map((block) => renderBlock(block, { place: { kind: 'view', id }, prefix: id, directory, errors }));
}

/** The Home tab of the app. @param {PageState} state @param {Directory} directory */
export function drawHome({ home, app }, directory) {
  const nothing = `${app.name} has published no Home yet. Apps publish it with views.publish, usually when they receive app_home_opened.`;
  const content = home === null ? [h('p', { class: 'soft' }, nothing)] : renderBlocks(home, directory);
  const panel = byId('home');
  const hadFocus = panel.contains(document.activeElement);
  morphChildren(panel, [h('div', { 'data-place': true, 'data-key': home?.viewer }, ...content)]);
  if (hadFocus && !panel.contains(document.activeElement)) {
    panel.focus(); // its control is gone
  }
}

/** The stack of modals: the last one is shown, and those below keep what is typed in them. */
export function createModals() {
  const dialog = byId('modal', HTMLDialogElement);
  /** By id, also those below. @type {Map<string, Element>} */
  const windows = new Map();
  let shownId = '';
  let shownErrors = '{}';
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    void perform('close', { view: shownId });
  });

  return {
    /** @param {readonly View[]} views @param {Directory} directory */
    update(views, directory) {
      for (const id of windows.keys()) {
        if (!views.some((view) => view.id === id)) {
          windows.delete(id);
        }
      }
      const top = views.at(-1);
      if (top === undefined) {
        shownId = '';
        dialog.close();
        dialog.replaceChildren();
        return;
      }
      const known = windows.get(top.id);
      if (known !== undefined && !dialog.contains(known)) {
        dialog.replaceChildren(known);
      }
      const shown = renderWindow(top, views.length, directory);
      morphChildren(dialog, [shown]);
      windows.set(top.id, dialog.firstElementChild ?? shown);
      if (!dialog.open) {
        dialog.showModal();
      }
      for (const input of dialog.querySelectorAll('.input')) {
        const isWrong = input.querySelector('.failure')?.textContent !== '';
        input.querySelector(FIELD)?.setAttribute('aria-invalid', String(isWrong));
      }
      const errors = `${top.id} ${JSON.stringify(top.errors)}`;
      const first = dialog.querySelector('[data-focus]') ?? dialog.querySelector(`.input :is(${FIELD})`);
      if (shownId !== top.id || !dialog.contains(document.activeElement)) {
        focus(first ?? dialog.querySelector('footer button:last-child'));
      } else if (errors !== shownErrors) {
        focus(dialog.querySelector('[aria-invalid="true"]'));
      }
      shownId = top.id;
      shownErrors = errors;
    },
  };
}

/** @param {Element | null} element */
function focus(element) {
  if (element instanceof HTMLElement) {
    element.focus();
  }
}

/** @param {View} view @param {number} depth 1 for the lowest of the stack @param {Directory} directory */
function renderWindow(view, depth, directory) {
  const { title, submit, close } = view.content;
  const shut = () => perform('close', { view: view.id });
  return h(
    'form',
    {
      class: 'view',
      novalidate: true,
      onsubmit: send,
      'data-place': true,
      'data-key': view.id,
      'data-view': view.id,
    },
    h(
      'header',
      {},
      h('h2', { id: 'modal-title' }, textOf(title)),
      depth > 1 && h('span', { class: 'badge' }, `${depth} of 3`),
      h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Close this window', onclick: shut }, '×'),
    ),
    h('div', { class: 'modal-body' }, ...renderBlocks(view, directory)),
    h(
      'footer',
      {},
      h('p', { class: 'failure', role: 'alert' }, view.failure),
      h('button', { type: 'button', class: 'button', onclick: shut }, textOf(close) || (submit ? 'Cancel' : 'Close')),
      submit && h('button', { type: 'submit', class: 'button primary' }, textOf(submit)),
    ),
  );
}

/** @param {Event} event */
async function send(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  const submit = form.querySelector('[type=submit]');
  if (submit !== null && submit.ariaBusy !== 'true') {
    submit.ariaBusy = 'true';
    await perform('submit', { view: form.dataset.view, values: valuesIn(form) });
    submit.ariaBusy = 'false';
  }
}

/** The text of a plain_text object. @param {Readonly<Record<string, unknown>> | null} object */
function textOf(object) {
  return typeof object?.text === 'string' ? object.text : '';
}
