/** All that a person can fill in within one message or view, by `block_id/action_id`. */
export function createFields() {
  const fields = new Map();
  return {
    /** @param {HTMLElement} [error] where an input block says what is wrong with it */
    note: (block, element, field, error) =>
      fields.set(`${block.block_id}/${element.action_id}`, { block, element, field, error }),
    values: () => Object.fromEntries([...fields].map(([key, { field }]) => [key, field.read()])),
    write(kept) {
      for (const [key, value] of Object.entries(kept)) {
        fields.get(key)?.field.write(value);
      }
    },
    /** Those of input blocks, in their order. */
    inputs: () => [...fields.values()].filter(({ error }) => error !== undefined),
    /** When every file has come up. */
    ready: () => Promise.all([...fields.values()].map(({ field }) => field.ready?.())),
  };
}
