import { confirm } from './confirm.js';
import { h, nextId, safeUrl } from './dom.js';
import { createField } from './inputs.js';
import { renderPlain } from './mrkdwn.js';

/** An element that does something when a person uses it; null when the page cannot show it. */
export function renderAction(block, element, context) {
  switch (element.type) {
    case 'button':
      return renderButton(block, element, context);
    case 'overflow':
      return renderOverflow(block, element, context);
    default:
      return renderChooser(block, element, context);
  }
}

function renderButton(block, element, context) {
  const failure = createFailure();
  const button = h(
    'button',
    {
      type: 'button',
      class: `button ${element.style ?? ''}`,
      'aria-label': element.accessibility_label ?? null,
      'data-action': `${block.block_id}/${element.action_id}`,
      onclick: async () => {
        const url = safeUrl(element.url);
        if (url !== null) {
          window.open(url, '_blank', 'noopener,noreferrer');
        }
        if (await confirm(element.confirm, context.directory)) {
          await whilePending(button, failure, () => context.act(block, element));
        }
      },
    },
    renderPlain(element.text.text),
  );
  return h('span', { class: 'action' }, button, failure.node);
}

function renderOverflow(block, element, context) {
  const failure = createFailure();
  const options = element.options.map((option) => h('option', { value: option.value }, option.text.text));
  const select = h(
    'select',
    {
      class: 'overflow',
      'aria-label': 'More actions',
      'data-action': `${block.block_id}/${element.action_id}`,
      onchange: async () => {
        const chosen = select.value;
        select.value = '';
        if (await confirm(element.confirm, context.directory)) {
          await whilePending(select, failure, () => context.act(block, element, chosen));
        }
      },
    },
    h('option', { value: '', selected: true }, '⋯'),
    ...options,
  );
  return h('span', { class: 'action' }, select, failure.node);
}

function renderChooser(block, element, context) {
  const field = createField(element, nextId('field'), context.directory);
  if (field === null) {
    return null;
  }
  const failure = createFailure();
  field.focusable.setAttribute('data-action', `${block.block_id}/${element.action_id}`);
  field.focusable.setAttribute('aria-label', element.placeholder?.text ?? 'Choose');
  const choose = async () => {
    if (await confirm(element.confirm, context.directory)) {
      await whilePending(field.focusable, failure, () => context.act(block, element, field.read()));
    }
  };
  field.node.addEventListener('change', () => void choose());
  return h('span', { class: 'action' }, field.node, failure.node);
}

function createFailure() {
  const node = h('span', { class: 'failure', role: 'alert' });
  return {
    node,
    say(text) {
      node.textContent = text ?? '';
    },
  };
}

/** Marks a control as busy, not as disabled: that would take the keyboard's place away. A second use is ignored. */
async function whilePending(control, failure, act) {
  if (control.getAttribute('aria-busy') === 'true') {
    return;
  }
  failure.say(null);
  control.setAttribute('aria-busy', 'true');
  const shown = await act();
  control.removeAttribute('aria-busy');
  failure.say(shown);
}
