import { h, nextId } from '../base/dom.js';
import { createField } from '../inputs/create-field.js';
import { renderPlain } from '../text/mrkdwn.js';

/** @import { BlockContext } from '../types.ts' */

/** An input with its label, hint and error. @param {import('@slack/types').InputBlock} block @param {BlockContext} context */
export function renderInput(block, context) {
  const id = nextId('field');
  const field = createField(block, block.element, id, context);
  if (field === null) {
    return h('div', { class: 'block unknown' }, `Not shown here: ${block.element.type}`);
  }
  const errorId = `${id}-error`;
  const hintId = `${id}-hint`;
  const error = h('p', { class: 'failure', id: errorId, role: 'alert' });
  field.focusable.setAttribute('data-action', `${block.block_id}/${block.element.action_id}`);
  field.focusable.setAttribute('aria-describedby', block.hint ? `${errorId} ${hintId}` : errorId);
  if (!block.optional && !field.isGroup) {
    field.focusable.setAttribute('aria-required', 'true');
  }
  context.noteField(block, block.element, field, error);
  if (block.dispatch_action) {
    field.node.addEventListener('change', () => void context.act(block, block.element, field.read()));
  }
  const label = h(
    field.isGroup ? 'div' : 'label',
    { class: 'label', for: field.isGroup ? null : id, id: `${id}-label` },
    renderPlain(block.label.text),
    block.optional && h('span', { class: 'optional' }, ' (optional)'),
  );
  if (field.isGroup) {
    field.node.setAttribute('aria-labelledby', `${id}-label`);
  }
  return h(
    'div',
    { class: 'block input' },
    label,
    field.node,
    error,
    block.hint && h('p', { class: 'hint', id: hintId }, renderPlain(block.hint.text)),
  );
}
