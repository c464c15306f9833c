import { findByAction, focusedIn, h } from '../base/dom.js';
import { dateOfTs, dayName } from '../text/dates.js';
import { renderMessage } from './message.js';

/** @import { Item, MessageContext } from '../types.ts' */

/** Messages of the same author within this time form a group. */
const GROUP_MS = 5 * 60_000;

/**
 * Updates a list of messages. Only changed messages are redrawn, so that the focus and open menus stay.
 *
 * @param {HTMLElement} list
 * @param {readonly Item[]} items oldest first
 * @param {MessageContext} context
 */
export function updateMessages(list, items, context) {
  const current = new Map(childrenOf(list).map((node) => [node.dataset.key, node]));
  const focused = focusedIn(list);
  const focusedAction = focused?.closest('[data-action]')?.getAttribute('data-action') ?? undefined;
  const focusedItem = focused?.closest('li[data-item]') ?? null;

  const nodes = listEntries(items, context).map(({ key, create }) => {
    const node = current.get(key) ?? create();
    node.dataset.key = key;
    return node;
  });
  const kept = new Set(nodes);
  for (const node of childrenOf(list)) {
    if (!kept.has(node)) {
      node.remove();
    }
  }
  nodes.forEach((node, index) => {
    if (list.children[index] !== node) {
      list.insertBefore(node, list.children[index] ?? null);
    }
  });
  if (focusedItem !== null && !focusedItem.isConnected) {
    const redrawn = nodes.find((node) => node.dataset.item === focusedItem.getAttribute('data-item'));
    const control = redrawn && (findByAction(redrawn, focusedAction) ?? redrawn.querySelector('article'));
    control?.focus();
  }
}

/** @param {HTMLElement} list @returns {HTMLElement[]} */
function childrenOf(list) {
  return [...list.children].filter((node) => node instanceof HTMLElement);
}

/** @typedef {{ key: string, create: () => HTMLElement }} Entry a message or a separator. Entries with the same key look the same. */

/** @param {readonly Item[]} items @param {MessageContext} context @returns {Entry[]} */
function listEntries(items, context) {
  /** @type {Entry[]} */
  const entries = [];
  /** @type {string | null} */
  let day = null;
  /** @type {Item | null} */
  let previous = null;
  for (const item of items) {
    const name = dayName(dateOfTs(item.ts));
    if (name !== day) {
      entries.push({ key: `day ${name}`, create: () => h('li', { class: 'day' }, h('span', {}, name)) });
      previous = null;
      day = name;
    }
    if (item.ts === context.firstNewTs) {
      entries.push({ key: `new ${item.ts}`, create: () => h('li', { class: 'new' }, h('span', {}, 'New')) });
      previous = null;
    }
    const isContinued = previous !== null && isSameGroup(previous, item);
    entries.push({ key: keyOf(item, context, isContinued), create: () => renderMessage(item, context, isContinued) });
    previous = item;
  }
  return entries;
}

/** @param {Item} item @param {MessageContext} context @param {boolean} isContinued */
function keyOf(item, { openThread, repliesOf, viewer }, isContinued) {
  const replyCount = openThread === null ? 0 : repliesOf(item.ts).length;
  const extras = item.kind === 'message' ? JSON.stringify([item.reactions, item.files, item.pin]) : '';
  return [item.kind, item.ts, item.revision, isContinued, replyCount, viewer, extras].join(' ');
}

/** @param {Item} previous @param {Item} item */
function isSameGroup(previous, item) {
  const isNear = dateOfTs(item.ts).getTime() - dateOfTs(previous.ts).getTime() < GROUP_MS;
  return isNear && previous.kind === 'message' && item.kind === 'message' && previous.user === item.user;
}
