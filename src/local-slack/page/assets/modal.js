import { renderBlock } from './blocks.js';
import { byId, h, nextId } from './dom.js';
import { createField } from './inputs.js';
import { renderPlain } from './mrkdwn.js';

/**
 * Shows the top of a person's stack of modals in one dialog. Forms below the top are kept with what was typed in them.
 *
 * @param {(doing: 'submit' | 'close' | 'click', body: object) => Promise<string | null>} perform
 */
export function createModals(perform) {
  const dialog = byId('modal');
  const forms = new Map();
  let shownId = null;
  let returnFocusTo = null;

  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    if (shownId !== null) {
      void perform('close', { view: shownId });
    }
  });

  function update(views, directory) {
    const top = views.at(-1);
    for (const id of forms.keys()) {
      if (!views.some((view) => view.id === id)) {
        forms.delete(id);
      }
    }
    if (top === undefined) {
      shownId = null;
      if (dialog.open) {
        dialog.close();
        (returnFocusTo?.isConnected ? returnFocusTo : byId('composer-text'))?.focus();
      }
      return;
    }
    const known = forms.get(top.id);
    const form = known?.hash === top.hash ? known : createForm(top, views.length, directory, perform, known?.values());
    forms.set(top.id, form);
    if (!dialog.contains(form.node)) {
      dialog.replaceChildren(form.node);
    }
    if (!dialog.open) {
      returnFocusTo = document.activeElement;
      dialog.showModal();
    }
    if (shownId !== top.id) {
      shownId = top.id;
      form.focus();
    }
    form.tell(top);
  }

  return { update };
}

function createForm(view, depth, directory, perform, values = {}) {
  const { content } = view;
  const fields = new Map();
  const read = () => Object.fromEntries([...fields].map(([blockId, { field }]) => [blockId, field.read()]));
  const context = {
    directory,
    act: (block, element, chosen) =>
      perform('click', {
        place: { kind: 'view', id: view.id },
        target: { blockId: block.block_id, actionId: element.action_id },
        chosen: chosen ?? null,
        values: read(),
      }),
  };
  const blocks = content.blocks.map((block) =>
    block.type === 'input' ? renderInput(block, fields, context) : renderBlock(block, context),
  );
  for (const [blockId, value] of Object.entries(values)) {
    fields.get(blockId)?.field.write(value);
  }

  const trouble = h('p', { class: 'trouble', role: 'alert' });
  const submit =
    content.submit && h('button', { type: 'submit', class: 'button primary' }, renderPlain(content.submit.text));
  const close = () => void perform('close', { view: view.id });
  const closeText = content.close?.text ?? (content.submit ? 'Cancel' : 'Close');
  let lastErrors = '';

  const node = h(
    'form',
    {
      class: 'view',
      novalidate: true,
      onsubmit: async (event) => {
        event.preventDefault();
        if (submit === null || submit.getAttribute('aria-busy') === 'true') {
          return;
        }
        trouble.textContent = '';
        submit.setAttribute('aria-busy', 'true');
        const shown = await perform('submit', { view: view.id, values: read() });
        submit.removeAttribute('aria-busy');
        trouble.textContent = shown ?? '';
      },
    },
    h(
      'header',
      { class: 'modal-header' },
      h('h2', { id: 'modal-title' }, renderPlain(content.title.text)),
      depth > 1 && h('span', { class: 'badge' }, `${depth} of 3`),
      h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Close this window', onclick: close }, '×'),
    ),
    h('div', { class: 'modal-body' }, ...blocks),
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
    values: read,
    focus() {
      const first = [...fields.values()][0]?.field.focusable;
      (first ?? submit ?? node.querySelector('button')).focus();
    },
    /** Errors at the inputs and trouble with the whole. */
    tell(current) {
      trouble.textContent = current.trouble ?? '';
      const errors = JSON.stringify(current.errors);
      if (errors === lastErrors) {
        return;
      }
      lastErrors = errors;
      for (const [blockId, { field, error }] of fields) {
        const message = current.errors[blockId] ?? '';
        error.textContent = message;
        field.focusable.setAttribute('aria-invalid', String(message !== ''));
      }
      const [firstWrong] = Object.keys(current.errors);
      fields.get(firstWrong)?.field.focusable.focus();
    },
  };
}

function renderInput(block, fields, context) {
  const id = nextId('field');
  const field = createField(block.element, id, context.directory);
  if (field === null) {
    return h('div', { class: 'block unknown' }, `Not shown here: ${block.element.type}`);
  }
  const errorId = `${id}-error`;
  const hintId = `${id}-hint`;
  const error = h('p', { class: 'failure', id: errorId, role: 'alert' });
  field.focusable.setAttribute('aria-describedby', block.hint ? `${errorId} ${hintId}` : errorId);
  fields.set(block.block_id, { field, error });
  if (block.dispatch_action) {
    field.node.addEventListener('change', () => void context.act(block, block.element, field.read()));
  }
  field.node.setAttribute('aria-labelledby', `${id}-label`);
  return h(
    'div',
    { class: 'block input' },
    h(
      'label',
      { for: id, id: `${id}-label` },
      renderPlain(block.label.text),
      block.optional && h('span', { class: 'optional' }, ' (optional)'),
    ),
    field.node,
    error,
    block.hint && h('p', { class: 'hint', id: hintId }, renderPlain(block.hint.text)),
  );
}
