import { renderBlock } from './blocks.js';
import { h, nextId } from './dom.js';
import { createField } from './inputs.js';
import { renderPlain } from './mrkdwn.js';

/**
 * The blocks of a modal or of a Home tab, with fields that can be read.
 *
 * @param {object} view
 * @param {object} directory
 * @param {{ perform: (doing: string, body: object) => Promise<string | null>, suggest: (body: object) => Promise<object> }} server
 */
export function createForm(view, directory, server) {
  const fields = new Map();
  const values = () => Object.fromEntries([...fields].map(([blockId, { field }]) => [blockId, field.read()]));
  const place = { kind: 'view', id: view.id };
  const context = {
    directory,
    suggest: (block, element, typed) => server.suggest({ place, target: targetOf(block, element), typed }),
    act: (block, element, chosen) =>
      server.perform('click', {
        place,
        target: targetOf(block, element),
        chosen: chosen ?? null,
        values: values(),
      }),
  };
  return {
    nodes: view.content.blocks.map((block) =>
      block.type === 'input' ? renderInput(block, fields, context) : renderBlock(block, context),
    ),
    values,
    write(kept) {
      for (const [blockId, value] of Object.entries(kept)) {
        fields.get(blockId)?.field.write(value);
      }
    },
    /** Where the keyboard starts: what the app asked for, else the first field. */
    first() {
      const wanted = view.content.blocks.find((block) => block.element?.focus_on_load);
      return (fields.get(wanted?.block_id) ?? [...fields.values()][0])?.field.focusable;
    },
    /** Says at each input what is wrong with it, and goes to the first. */
    showErrors(errors) {
      for (const [blockId, { field, error }] of fields) {
        const message = errors[blockId] ?? '';
        error.textContent = message;
        field.focusable.setAttribute('aria-invalid', String(message !== ''));
      }
      const [firstWrong] = Object.keys(errors);
      fields.get(firstWrong)?.field.focusable.focus();
    },
  };
}

const targetOf = (block, element) => ({ blockId: block.block_id, actionId: element.action_id });

function renderInput(block, fields, context) {
  const id = nextId('field');
  const field = createField(block, block.element, id, context);
  if (field === null) {
    return h('div', { class: 'block unknown' }, `Not shown here: ${block.element.type}`);
  }
  const errorId = `${id}-error`;
  const hintId = `${id}-hint`;
  const error = h('p', { class: 'failure', id: errorId, role: 'alert' });
  field.focusable.setAttribute('aria-describedby', block.hint ? `${errorId} ${hintId}` : errorId);
  if (!block.optional && !field.isGroup) {
    field.focusable.setAttribute('aria-required', 'true');
  }
  fields.set(block.block_id, { field, error });
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
