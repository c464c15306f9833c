/**
 * Makes an element. Children are nodes or text, never markup: whatever comes from outside stays text.
 *
 * @param {string} tag
 * @param {Record<string, any>} [attributes] `on…` adds a listener; true and false set and leave out; null leaves out
 * @param {...(Node | string | null | undefined | false | (Node | string)[])} children
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? '' : `${value}`);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Only addresses that a browser may follow from here. */
export function safeUrl(url) {
  return typeof url === 'string' && /^(https?:|mailto:)/i.test(url) ? url : null;
}

export function link(url, ...children) {
  const href = safeUrl(url);
  return href === null
    ? h('span', {}, ...children)
    : h('a', { href, target: '_blank', rel: 'noreferrer noopener' }, ...children);
}

let lastId = 0;
export function nextId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}
