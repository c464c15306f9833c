import { byId } from '../base/dom.js';
import { followEnd } from './follow-end.js';
import { updateMessages } from './message-list.js';

/** @import { Item, MessageContext } from '../types.ts' */

/**
 * A scrolling list of messages: that of a channel or that of a thread.
 *
 * @param {{ scroller: string, list: string, button: string }} ids elements of index.html
 */
export function createTimeline(ids) {
  const scroller = byId(ids.scroller);
  const list = byId(ids.list);
  const end = followEnd(scroller, byId(ids.button, HTMLButtonElement));
  scroller.addEventListener('keydown', (event) => handleKey(scroller, event));
  return {
    goToEnd: end.goToEnd,
    /** @param {string} place @param {readonly Item[]} items @param {MessageContext} context */
    update(place, items, context) {
      const sorted = items.toSorted((one, other) => (one.ts < other.ts ? -1 : 1));
      const messages = sorted.map((item) => ({
        ts: item.ts,
        isOwn: item.kind === 'message' && item.user === context.viewer,
      }));
      end.update(place, messages, () => updateMessages(list, sorted, context));
    },
  };
}

/** The control of a message that each letter clicks. */
const SHORTCUTS = new Map([
  ['t', '[data-action^="reply/"]'],
  ['r', '[data-action^="add/"]'],
  ['m', '[data-action^="more/"]'],
]);

/** Arrows move between messages. T replies in a thread, R adds a reaction, M opens the menu. @param {HTMLElement} scroller @param {KeyboardEvent} event */
function handleKey(scroller, event) {
  const article = event.target instanceof Element ? event.target.closest('article') : null;
  if (event.target !== scroller && event.target !== article) {
    return;
  }
  const articles = [...scroller.querySelectorAll('article')];
  const at = article === null ? articles.length : articles.indexOf(article);
  const target = targetOf(event.key, at, articles.length);
  const shortcut = SHORTCUTS.get(event.key);
  if (target !== null) {
    event.preventDefault();
    articles[target]?.focus();
  } else if (shortcut !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    /** @type {HTMLElement | null | undefined} */ (article?.querySelector(shortcut))?.click();
  }
}

/** @param {string} key @param {number} at @param {number} count @returns {number | null} null when the key does not move */
function targetOf(key, at, count) {
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, at - 1);
    case 'ArrowDown':
      return at + 1;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
