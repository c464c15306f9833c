import { renderBlock } from '../blocks/blocks.js';
import { createFieldSet } from '../inputs/field-set.js';

/** @import { View } from '../../../workspace/model.ts' */
/** @import { AnyBlock, BlockContext, BlockRef, Directory, ElementRef, InputValue, Server } from '../types.ts' */

/**
 * The blocks of a modal or a Home tab, with their input values.
 *
 * @param {View} view
 * @param {Directory} directory
 * @param {Server} server
 */
export function createForm(view, directory, server) {
  const fields = createFieldSet();
  const place = { kind: 'view', id: view.id };
  /** @type {BlockContext} */
  const context = {
    place: view.id,
    directory,
    noteField: fields.note,
    upload: server.upload,
    suggest: (block, element, typed) => server.suggest({ place, target: targetOf(block, element), typed }),
    act: (block, element, chosen) =>
      server.perform('click', {
        place,
        target: targetOf(block, element),
        chosen: chosen ?? null,
        values: fields.values(),
      }),
  };
  const blocks = /** @type {readonly AnyBlock[]} */ (/** @type {unknown} */ (view.content.blocks)); // validated by the server
  return {
    nodes: blocks.map((block) => renderBlock(block, context)),
    values: fields.values,
    /** @param {Record<string, InputValue>} values */
    write: (values) => fields.write(values),
    ready: () => fields.ready(),
    /** The node that gets the focus at the start: the one that the app chose, else the first input. */
    first() {
      const inputs = fields.inputs();
      return (inputs.find(({ element }) => element.focus_on_load) ?? inputs[0])?.field.focusable;
    },
    /** Shows the errors at their inputs and moves the focus to the first one. @param {Readonly<Record<string, string>>} errors by block_id */
    showErrors(errors) {
      const inputs = fields.inputs();
      for (const { block, field, error } of inputs) {
        const message = errors[block.block_id ?? ''] ?? '';
        error.textContent = message;
        field.focusable.setAttribute('aria-invalid', String(message !== ''));
      }
      inputs.find(({ block }) => errors[block.block_id ?? ''] !== undefined)?.field.focusable.focus();
    },
  };
}

/** @param {BlockRef} block @param {ElementRef} element */
function targetOf(block, element) {
  return { blockId: block.block_id, actionId: element.action_id };
}
