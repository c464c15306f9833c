import { renderBlock } from './blocks.js';
import { createFields } from './fields.js';

/**
 * The blocks of a modal or of a Home tab, with fields that can be read.
 *
 * @param {object} view
 * @param {object} directory
 * @param {{ perform: (doing: string, body: object) => Promise<string | null>, suggest: (body: object) => Promise<object>,
 *   upload: (file: File) => Promise<object> }} server
 */
export function createForm(view, directory, server) {
  const fields = createFields();
  const place = { kind: 'view', id: view.id };
  const context = {
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
  return {
    nodes: view.content.blocks.map((block) => renderBlock(block, context)),
    values: fields.values,
    write: (kept) => fields.write(kept),
    ready: fields.ready,
    /** Where the keyboard starts: what the app asked for, else the first input. */
    first() {
      const inputs = fields.inputs();
      return (inputs.find(({ element }) => element.focus_on_load) ?? inputs[0])?.field.focusable;
    },
    /** Says at each input what is wrong with it, and goes to the first. */
    showErrors(errors) {
      const inputs = fields.inputs();
      for (const { block, field, error } of inputs) {
        const message = errors[block.block_id] ?? '';
        error.textContent = message;
        field.focusable.setAttribute('aria-invalid', String(message !== ''));
      }
      inputs.find(({ block }) => errors[block.block_id] !== undefined)?.field.focusable.focus();
    },
  };
}

const targetOf = (block, element) => ({ blockId: block.block_id, actionId: element.action_id });
