import { h } from '../base/dom.js';

/**
 * Why an action at a control failed, by the control. It stays when the control is redrawn, until the control is used again.
 *
 * @type {Map<string, { text: string, nodes: Set<HTMLElement> }>}
 */
const failures = new Map();

/**
 * The place beside a control where its failure is shown.
 *
 * @param {string} control the same for a control and the one that is drawn in its place
 */
export function createFailure(control) {
  const node = h('span', { class: 'failure', role: 'alert' });
  const known = failures.get(control) ?? { text: '', nodes: new Set() };
  failures.set(control, known);
  for (const old of known.nodes) {
    if (!old.isConnected) {
      known.nodes.delete(old);
    }
  }
  known.nodes.add(node);
  node.textContent = known.text;
  return {
    node,
    /** @param {string | null} text null: it has not failed, or is being tried again */
    show(text) {
      known.text = text ?? '';
      for (const shown of known.nodes) {
        shown.textContent = known.text;
      }
    },
  };
}
