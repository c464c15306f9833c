/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {string | number | boolean | null | undefined | ((event: Event) => unknown)} Attribute */

/**
 * Creates an element. Children are nodes or text, never markup, so that content from outside stays text.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} [attributes] `on…` adds a listener. True sets the attribute; false, null and
 *   undefined omit it.
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? '' : `${value}`);
    }
  }
  element.append(...children.flat().filter(isShown));
  return element;
}

/** @param {Child} child @returns {child is Node | string} */
function isShown(child) {
  return child !== null && child !== undefined && child !== false;
}

/**
 * An element of index.html.
 *
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [type]
 * @returns {T}
 */
export function byId(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof (type ?? HTMLElement))) {
    throw new Error(`index.html has no suitable element #${id}`);
  }
  return /** @type {T} */ (element);
}

/** The element that has the focus, if it is inside `root`. @param {HTMLElement} root @returns {HTMLElement | null} */
export function focusedIn(root) {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && root.contains(focused) ? focused : null;
}

/**
 * The element below `root` with this `data-action`. Redrawn controls keep it, so that the focus can return to them.
 *
 * @param {ParentNode} root
 * @param {string | undefined} action
 * @returns {HTMLElement | null}
 */
export function findByAction(root, action) {
  return action === undefined ? null : root.querySelector(`[data-action="${CSS.escape(action)}"]`);
}

/** The URL if it is safe to follow, else null. @param {unknown} url */
export function safeUrl(url) {
  return typeof url === 'string' && /^(https?:|mailto:)/i.test(url) ? url : null;
}

/** @param {unknown} url @param {...Child} children */
export function link(url, ...children) {
  const href = safeUrl(url);
  return href === null
    ? h('span', {}, ...children)
    : h('a', { href, target: '_blank', rel: 'noreferrer noopener' }, ...children);
}

let lastId = 0;

/** @param {string} prefix */
export function nextId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}
