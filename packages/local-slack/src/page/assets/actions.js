import { confirm } from './confirm.js';
import { h, nextId, safeUrl } from './dom.js';
import { createField } from './inputs.js';
import { createMenu } from './menu.js';
import { renderPlain } from './mrkdwn.js';

/** An element that does something when a person uses it; null when the page cannot show it. */
export function renderAction(block, element, context) {
  switch (element.type) {
    case 'button':
      return renderButton(block, element, context);
    case 'workflow_button':
      return renderButton(block, element, { ...context, act: async () => 'Local Slack runs no workflows.' });
    case 'icon_button':
      return renderIconButton(block, element, context);
    case 'feedback_buttons':
      return renderFeedback(block, element, context);
    case 'overflow':
      return renderOverflow(block, element, context);
    default:
      return renderChooser(block, element, context);
  }
}

function renderButton(block, element, context, attributes = {}, chosen) {
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
          await whilePending(button, failure, () => context.act(block, element, chosen));
        }
      },
      ...attributes,
    },
    renderPlain(element.text.text),
  );
  return h('span', { class: 'action' }, button, failure.node);
}

const ICONS = { trash: '🗑' };

function renderIconButton(block, element, context) {
  const isMeant = element.visible_to_user_ids?.includes(context.viewer) ?? true;
  const text = { text: `${ICONS[element.icon] ?? ''} ${element.text.text}` };
  return isMeant ? renderButton(block, { ...element, text }, context, { class: 'button quiet' }) : h('span');
}

function renderFeedback(block, element, context) {
  const one = (side, icon) =>
    renderButton(
      block,
      { ...element, ...side, text: { text: `${icon} ${side.text.text}` } },
      context,
      { class: 'button quiet', 'data-action': `${block.block_id}/${element.action_id}/${side.value}` },
      side.value,
    );
  return h(
    'span',
    { class: 'action', role: 'group', 'aria-label': 'Feedback' },
    one(element.positive_button, '👍'),
    one(element.negative_button, '👎'),
  );
}

function renderOverflow(block, element, context) {
  const failure = createFailure();
  const menu = createMenu({
    label: 'More choices',
    text: '⋯',
    class: 'button overflow',
    dataAction: `${block.block_id}/${element.action_id}`,
    items: () =>
      element.options.map((option) => ({
        text: option.text.text,
        description: option.description?.text,
        run: async () => {
          const url = safeUrl(option.url);
          if (url !== null) {
            window.open(url, '_blank', 'noopener,noreferrer');
          }
          if (await confirm(element.confirm, context.directory)) {
            await whilePending(menu.querySelector('button'), failure, () => context.act(block, element, option.value));
          }
        },
      })),
  });
  return h('span', { class: 'action' }, menu, failure.node);
}

function renderChooser(block, element, context) {
  const field = createField(block, element, nextId('field'), context);
  if (field === null) {
    return null;
  }
  context.noteField(block, element, field);
  const failure = createFailure();
  const named = field.isGroup ? field.node : field.focusable;
  field.focusable.setAttribute('data-action', `${block.block_id}/${element.action_id}`);
  named.setAttribute('aria-label', element.placeholder?.text ?? NAMES[element.type] ?? 'Choose');
  const choose = async () => {
    if (await confirm(element.confirm, context.directory)) {
      await whilePending(field.focusable, failure, () => context.act(block, element, field.read()));
    }
  };
  field.node.addEventListener('change', () => void choose());
  return h('span', { class: 'action' }, field.node, failure.node);
}

const NAMES = { datepicker: 'Date', timepicker: 'Time', datetimepicker: 'Date and time' };

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
