/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {string | number | boolean | null | undefined | ((event: Event) => unknown)} Attribute */

/**
 * Creates an element. Children are nodes or text, never markup, so that content from outside stays text.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} [attributes] functions are event handlers. True sets the attribute; false, null
 *   and undefined omit it.
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      Object.assign(element, { [name]: value });
    } else if (value !== null && value !== undefined && value !== false) {
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
