/** @import { BlockRef, ElementRef, Field, InputValue } from '../types.ts' */

/**
 * @typedef {object} Entry
 * @property {BlockRef} block
 * @property {ElementRef & { focus_on_load?: boolean | undefined }} element
 * @property {Field} field
 * @property {HTMLElement | undefined} error where an input block shows its error
 */

/** The fields of one message or view, by `block_id/action_id`. */
export function createFieldSet() {
  /** @type {Map<string, Entry>} */
  const fields = new Map();
  return {
    /** @type {import('../types.ts').NoteField} */
    note: (block, element, field, error) => {
      fields.set(`${block.block_id}/${element.action_id}`, { block, element, field, error });
    },
    /** @returns {Record<string, InputValue>} */
    values: () => Object.fromEntries([...fields].map(([key, { field }]) => [key, field.read()])),
    /** @param {Record<string, InputValue>} values */
    write(values) {
      for (const [key, value] of Object.entries(values)) {
        fields.get(key)?.field.write(value);
      }
    },
    /** The fields of input blocks, in order. */
    inputs: () =>
      [...fields.values()].flatMap(({ error, ...entry }) => (error === undefined ? [] : [{ ...entry, error }])),
    /** Resolves when all files are uploaded. */
    async ready() {
      await Promise.all([...fields.values()].flatMap(({ field }) => field.ready?.() ?? []));
    },
  };
}
