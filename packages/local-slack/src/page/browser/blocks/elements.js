import { h, nextId, safeUrl } from '../base/dom.js';
import { createMenu } from '../base/menu.js';
import { createField } from '../inputs/create-field.js';
import { renderPlain } from '../text/mrkdwn.js';
import { confirm } from './confirm.js';
import { createFailure } from './failure.js';

/** @import { FeedbackButtons, IconButton, Overflow, Select } from '@slack/types' */
/** @import { AnyElement, BlockContext, BlockRef, InputValue } from '../types.ts' */

/**
 * An interactive element outside an input block.
 *
 * @param {BlockRef} block
 * @param {AnyElement} element
 * @param {BlockContext} context
 * @returns {HTMLElement | null} null when the page cannot show it
 */
export function renderInteractive(block, element, context) {
  switch (element.type) {
    case 'button':
      return renderButton(block, element, context);
    case 'workflow_button':
      return renderButton(block, element, { ...context, act: async () => 'Local Slack does not run workflows.' });
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

/**
 * @typedef {object} ButtonLike
 * @property {string | undefined} [action_id]
 * @property {{ text: string }} text
 * @property {string | undefined} [style]
 * @property {string | undefined} [url]
 * @property {string | undefined} [accessibility_label]
 * @property {import('@slack/types').ConfirmationDialog | undefined} [confirm]
 */

/**
 * @param {BlockRef} block
 * @param {ButtonLike} element
 * @param {BlockContext} context
 * @param {Record<string, string>} [attributes]
 * @param {InputValue} [chosen]
 */
function renderButton(block, element, context, attributes = {}, chosen) {
  const action = `${block.block_id}/${element.action_id}`;
  const failure = createFailure(controlIn(context, attributes['data-action'] ?? action));
  const button = h(
    'button',
    {
      type: 'button',
      class: `button ${element.style ?? ''}`,
      'aria-label': element.accessibility_label,
      'data-action': action,
      onclick: async () => {
        openUrl(element.url);
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

/** @param {string | undefined} url */
function openUrl(url) {
  const safe = safeUrl(url);
  if (safe !== null) {
    window.open(safe, '_blank', 'noopener,noreferrer');
  }
}

/** @param {BlockRef} block @param {IconButton} element @param {BlockContext} context */
function renderIconButton(block, element, context) {
  const isVisible = element.visible_to_user_ids?.includes(context.viewer ?? '') ?? true;
  const icon = element.icon === 'trash' ? '🗑' : '';
  const text = { text: `${icon} ${element.text.text}` };
  return isVisible ? renderButton(block, { ...element, text }, context, { class: 'button quiet' }) : h('span');
}

/** @param {BlockRef} block @param {FeedbackButtons} element @param {BlockContext} context */
function renderFeedback(block, element, context) {
  /** @param {FeedbackButtons['positive_button']} side @param {string} icon */
  const one = (side, icon) =>
    renderButton(
      block,
      { ...side, action_id: element.action_id, text: { text: `${icon} ${side.text.text}` } },
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

/** @param {BlockRef} block @param {Overflow} element @param {BlockContext} context */
function renderOverflow(block, element, context) {
  const action = `${block.block_id}/${element.action_id}`;
  const failure = createFailure(controlIn(context, action));
  const menu = createMenu({
    label: 'More choices',
    text: '⋯',
    class: 'button overflow',
    dataAction: action,
    items: () =>
      element.options.map((option) => ({
        text: option.text.text,
        description: option.description?.text,
        run: async () => {
          openUrl('url' in option ? option.url : undefined);
          if (await confirm(element.confirm, context.directory)) {
            await whilePending(menu.button, failure, () => context.act(block, element, option.value));
          }
        },
      })),
  });
  return h('span', { class: 'action' }, menu.node, failure.node);
}

/** @param {BlockRef} block @param {Exclude<AnyElement, { type: 'button' }>} element @param {BlockContext} context */
function renderChooser(block, element, context) {
  const field = createField(block, element, nextId('field'), context);
  if (field === null) {
    return null;
  }
  context.noteField(block, element, field);
  const action = `${block.block_id}/${element.action_id}`;
  const failure = createFailure(controlIn(context, action));
  const named = field.isGroup ? field.node : field.focusable;
  field.focusable.setAttribute('data-action', action);
  named.setAttribute('aria-label', nameOf(element));
  const choose = async () => {
    const question = /** @type {Partial<Select>} */ (element).confirm;
    if (await confirm(question, context.directory)) {
      await whilePending(field.focusable, failure, () => context.act(block, element, field.read()));
    }
  };
  field.node.addEventListener('change', () => void choose());
  return h('span', { class: 'action' }, field.node, failure.node);
}

/** @param {AnyElement} element */
function nameOf(element) {
  const { placeholder } = /** @type {Partial<Select>} */ (element);
  switch (element.type) {
    case 'datepicker':
      return placeholder?.text ?? 'Date';
    case 'timepicker':
      return placeholder?.text ?? 'Time';
    case 'datetimepicker':
      return 'Date and time';
    default:
      return placeholder?.text ?? 'Choose';
  }
}

/** @param {BlockContext} context @param {string} action as in `data-action` @returns {string} */
function controlIn({ viewer = '', place }, action) {
  return `${viewer} ${place} ${action}`;
}

/**
 * Marks a control as busy while `act` runs. It is not disabled, because that would lose the focus. A second use meanwhile
 * is ignored.
 *
 * @param {HTMLElement} control
 * @param {ReturnType<typeof createFailure>} failure
 * @param {() => Promise<string | null>} act
 */
async function whilePending(control, failure, act) {
  if (control.getAttribute('aria-busy') === 'true') {
    return;
  }
  failure.show(null);
  control.setAttribute('aria-busy', 'true');
  const shown = await act();
  control.removeAttribute('aria-busy');
  failure.show(shown);
}
