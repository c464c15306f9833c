import { byId, findByAction, focusedIn, h } from '../base/dom.js';
import { renderPlain } from '../text/mrkdwn.js';
import { createForm } from './form.js';

/** @import { View } from '../../../workspace/model.ts' */
/** @import { Directory, InputValue, Server } from '../types.ts' */

/** Shows the top of the stack of modals. The forms below keep their values. @param {Server} server */
export function createModals(server) {
  const dialog = byId('modal', HTMLDialogElement);
  /** @type {Map<string, ReturnType<typeof createWindow>>} */
  const windows = new Map();
  /** @type {string | null} */
  let shownId = null;
  /** @type {Element | null} */
  let returnFocusTo = null;

  dialog.addEventListener('cancel', (event) => {
    if (event.target !== dialog) {
      return;
    }
    event.preventDefault();
    if (shownId !== null) {
      void server.perform('close', { view: shownId });
    }
  });

  function close() {
    shownId = null;
    if (dialog.open) {
      dialog.close();
      const opener = returnFocusTo instanceof HTMLElement ? returnFocusTo : null;
      const target = opener?.isConnected ? opener : findByAction(document, opener?.dataset.action);
      (target ?? byId('composer-text')).focus();
    }
  }

  return {
    /** @param {readonly View[]} views the last one is on top @param {Directory} directory */
    update(views, directory) {
      for (const id of windows.keys()) {
        if (!views.some((view) => view.id === id)) {
          windows.delete(id);
        }
      }
      const top = views.at(-1);
      if (top === undefined) {
        close();
        return;
      }
      const known = windows.get(top.id);
      const shown = known?.hash === top.hash ? known : createWindow(top, views.length, directory, server);
      if (known !== undefined && known !== shown) {
        shown.write(known.values());
      }
      windows.set(top.id, shown);
      const focused = focusedIn(dialog);
      if (known !== undefined && known !== shown && dialog.contains(known.node)) {
        known.node.replaceWith(shown.node); // an open menu beside it stays
      } else if (!dialog.contains(shown.node)) {
        dialog.replaceChildren(shown.node);
      }
      if (!dialog.open) {
        returnFocusTo = document.activeElement;
        dialog.showModal();
      }
      if (shownId !== top.id) {
        shownId = top.id;
        shown.focus();
      } else if (focused !== null && !focused.isConnected) {
        (findByAction(dialog, focused.dataset.action) ?? shown).focus();
      }
      shown.showFailures(top);
    },
  };
}

/**
 * @param {View} view
 * @param {number} depth 1 for the lowest of the stack
 * @param {Directory} directory
 * @param {Server} server
 */
function createWindow(view, depth, directory, server) {
  const { content } = view;
  const form = createForm(view, directory, server);
  const failure = h('p', { class: 'view-failure', role: 'alert' });
  const submit =
    content.submit && h('button', { type: 'submit', class: 'button primary' }, renderPlain(textOf(content.submit)));
  const close = () => void server.perform('close', { view: view.id });
  const isStacked = depth > 1;
  const closeText = content.close ? textOf(content.close) : content.submit ? 'Cancel' : 'Close';
  const closeButton = h('button', { type: 'button', class: 'button', onclick: close }, renderPlain(closeText));
  let shownErrors = '{}';

  /** @param {Event} event */
  async function send(event) {
    event.preventDefault();
    if (submit === null || submit.getAttribute('aria-busy') === 'true') {
      return;
    }
    failure.textContent = '';
    submit.setAttribute('aria-busy', 'true');
    await form.ready();
    const shown = await server.perform('submit', { view: view.id, values: form.values() });
    submit.removeAttribute('aria-busy');
    failure.textContent = shown ?? '';
  }

  const back = h(
    'button',
    { type: 'button', class: 'icon-button back', 'aria-label': 'Back to the window before', onclick: close },
    '←',
  );
  const node = h(
    'form',
    { class: 'view', novalidate: true, onsubmit: send },
    h(
      'header',
      { class: 'modal-header' },
      isStacked && back,
      h('h2', { id: 'modal-title' }, renderPlain(textOf(content.title))),
      isStacked && h('span', { class: 'badge' }, `${depth} of 3`),
      h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Close this window', onclick: close }, '×'),
    ),
    h('div', { class: 'modal-body' }, ...form.nodes),
    h('footer', { class: 'modal-footer' }, failure, closeButton, submit),
  );

  return {
    node,
    hash: view.hash,
    values: () => form.values(),
    /** @param {Record<string, InputValue>} values */
    write: (values) => form.write(values),
    focus: () => (form.first() ?? submit ?? closeButton).focus(),
    /** Shows the errors of inputs and the failure of the whole view. @param {View} current */
    showFailures(current) {
      failure.textContent = current.failure ?? '';
      const errors = JSON.stringify(current.errors);
      if (errors !== shownErrors) {
        shownErrors = errors;
        form.showErrors(current.errors);
      }
    },
  };
}

/** The text of a plain_text object. @param {Readonly<Record<string, unknown>> | null} object */
function textOf(object) {
  return typeof object?.text === 'string' ? object.text : '';
}
