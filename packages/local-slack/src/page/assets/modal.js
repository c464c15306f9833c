import { byId, h } from './dom.js';
import { createForm } from './form.js';
import { renderPlain } from './mrkdwn.js';

/**
 * Shows the top of a person's stack of modals in one dialog. Forms below the top are kept with what was typed in them.
 *
 * @param {{ perform: (doing: 'submit' | 'close' | 'click', body: object) => Promise<string | null>, suggest: (body: object) => Promise<object>,
 *   upload: (file: File) => Promise<object> }} server
 */
export function createModals(server) {
  const dialog = byId('modal');
  const windows = new Map();
  let shownId = null;
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
      const key = returnFocusTo?.dataset.action;
      const redrawn = key && document.querySelector(`[data-action="${CSS.escape(key)}"]`);
      (returnFocusTo?.isConnected ? returnFocusTo : (redrawn ?? byId('composer-text'))).focus();
    }
  }

  function update(views, directory) {
    const top = views.at(-1);
    for (const id of windows.keys()) {
      if (!views.some((view) => view.id === id)) {
        windows.delete(id);
      }
    }
    if (top === undefined) {
      close();
      return;
    }
    const known = windows.get(top.id);
    const isSame = known?.hash === top.hash;
    const shown = isSame ? known : createWindow(top, views.length, directory, server);
    if (!isSame && known !== undefined) {
      shown.write(known.values());
    }
    windows.set(top.id, shown);
    const hadFocus = dialog.contains(document.activeElement);
    if (!dialog.contains(shown.node)) {
      dialog.replaceChildren(shown.node);
    }
    if (!dialog.open) {
      returnFocusTo = document.activeElement;
      dialog.showModal();
    }
    if (shownId !== top.id || (hadFocus && !dialog.contains(document.activeElement))) {
      shownId = top.id;
      shown.focus();
    }
    shown.tell(top);
  }

  return { update };
}

function createWindow(view, depth, directory, server) {
  const { content } = view;
  const form = createForm(view, directory, server);
  const trouble = h('p', { class: 'trouble', role: 'alert' });
  const submit =
    content.submit && h('button', { type: 'submit', class: 'button primary' }, renderPlain(content.submit.text));
  const close = () => void server.perform('close', { view: view.id });
  const isOnTop = depth > 1;
  const closeText = content.close?.text ?? (content.submit ? 'Cancel' : 'Close');
  let lastErrors = '';

  async function send(event) {
    event.preventDefault();
    if (submit === null || submit.getAttribute('aria-busy') === 'true') {
      return;
    }
    trouble.textContent = '';
    submit.setAttribute('aria-busy', 'true');
    await form.ready();
    const shown = await server.perform('submit', { view: view.id, values: form.values() });
    submit.removeAttribute('aria-busy');
    trouble.textContent = shown ?? '';
  }

  const node = h(
    'form',
    { class: 'view', novalidate: true, onsubmit: send },
    h(
      'header',
      { class: 'modal-header' },
      isOnTop &&
        h(
          'button',
          { type: 'button', class: 'icon-button back', 'aria-label': 'Back to the window before', onclick: close },
          '←',
        ),
      h('h2', { id: 'modal-title' }, renderPlain(content.title.text)),
      isOnTop && h('span', { class: 'badge' }, `${depth} of 3`),
      h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Close this window', onclick: close }, '×'),
    ),
    h('div', { class: 'modal-body' }, ...form.nodes),
    h(
      'footer',
      { class: 'modal-footer' },
      trouble,
      h('button', { type: 'button', class: 'button', onclick: close }, renderPlain(closeText)),
      submit,
    ),
  );

  return {
    node,
    hash: view.hash,
    values: () => form.values(),
    write: (kept) => form.write(kept),
    focus: () => (form.first() ?? submit ?? node.querySelector('footer button')).focus(),
    /** Errors at the inputs and trouble with the whole. */
    tell(current) {
      trouble.textContent = current.trouble ?? '';
      const errors = JSON.stringify(current.errors);
      if (errors !== lastErrors) {
        lastErrors = errors;
        form.showErrors(current.errors);
      }
    },
  };
}
