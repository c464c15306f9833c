/** What the page itself says of a control, and the message or view does not. */
const OWN = ['aria-busy', 'aria-expanded', 'aria-invalid'];
const HANDLERS = /** @type {const} */ (['onclick', 'onchange', 'oninput', 'onkeydown', 'onsubmit']);

/**
 * Gives `parent` these children. An element that looks the same after the redraw stays the same element: so the focus,
 * typed text, an open menu, a failure and a press that has begun outlive it. Elements are the same by tag and `data-key`.
 * What is inside `data-live` belongs to whoever made it, and is left alone.
 *
 * @param {Element} parent
 * @param {readonly Node[]} nodes may be children that stay as they are
 */
export function morphChildren(parent, nodes) {
  const before = new Set(parent.childNodes);
  const matches = nodes.map((node) => {
    const match = before.has(/** @type {ChildNode} */ (node)) ? node : [...before].find((each) => isSame(each, node));
    before.delete(/** @type {ChildNode} */ (match));
    return match;
  });
  for (const gone of before) {
    gone.remove();
  }
  for (const [index, node] of nodes.entries()) {
    const match = matches[index] ?? node;
    const present = parent.childNodes[index] ?? null;
    if (match !== present) {
      parent.insertBefore(match, present);
    }
    if (match !== node) {
      morph(match, node);
    }
  }
}

/** @param {Node} one @param {Node} other */
function isSame(one, other) {
  return one.nodeName === other.nodeName && keyOf(one) === keyOf(other);
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof HTMLElement ? node.dataset.key : undefined;
}

/** @param {Node} old @param {Node} next */
function morph(old, next) {
  if (!(old instanceof HTMLElement && next instanceof HTMLElement)) {
    if (old.nodeValue !== next.nodeValue) {
      old.nodeValue = next.nodeValue;
    }
    return;
  }
  if (old.hasAttribute('data-live')) {
    return;
  }
  for (const handler of HANDLERS) {
    Object.assign(old, { [handler]: next[handler] });
  }
  for (const name of new Set([...old.getAttributeNames(), ...next.getAttributeNames()])) {
    const value = next.getAttribute(name);
    if (OWN.includes(name) || old.getAttribute(name) === value) {
      continue;
    }
    if (value === null) {
      old.removeAttribute(name);
    } else {
      old.setAttribute(name, value);
    }
  }
  morphChildren(old, [...next.childNodes]);
}
