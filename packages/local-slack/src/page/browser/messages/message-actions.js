/** @import { BlockRef, ElementRef, Item, MenuItem, MessageActions, Server } from '../types.ts' */
/** @import { Message } from '../../../workspace/model.ts' */
/** @import { Shortcut } from '../../page-types.ts' */

/**
 * The actions of a person on messages.
 *
 * @param {Pick<Server, 'perform' | 'suggest'>} server
 * @param {(text: string | null) => void} showNotice shows the error message of an action
 */
export function createMessageActions({ perform, suggest }, showNotice) {
  /** @param {string} action @param {object} body */
  const run = async (action, body) => showNotice(await perform(action, body));

  /** @param {Shortcut} shortcut @param {object} [body] @returns {MenuItem} */
  const shortcutItem = ({ name, description, callbackId }, body = {}) => ({
    text: name,
    description,
    run: () => run('shortcut', { callbackId, ...body }),
  });

  /** @param {Message} message @returns {MenuItem} */
  function pinItem(message) {
    const isOn = message.pin === null;
    return { text: isOn ? 'Pin' : 'Unpin', run: () => run('pin', { message: referenceTo(message), isOn }) };
  }

  /** @type {MessageActions} */
  const actions = {
    react: (message, emoji, isOn) => void run('react', { message: referenceTo(message), emoji, isOn }),
    suggest: (item, block, element, typed) =>
      suggest({ place: referenceTo(item), target: targetOf(block, element), typed }),
    act: (item, block, element, chosen, values) =>
      perform('click', {
        place: referenceTo(item),
        target: targetOf(block, element),
        chosen: chosen ?? null,
        values,
      }),
  };
  return {
    ...actions,
    /** @param {readonly Shortcut[]} shortcuts */
    globalItems: (shortcuts) => shortcuts.map((shortcut) => shortcutItem(shortcut)),
    /** @param {Message} message @param {readonly Shortcut[]} shortcuts */
    messageItems: (message, shortcuts) => [
      pinItem(message),
      ...shortcuts.map((shortcut) => shortcutItem(shortcut, { message: referenceTo(message) })),
    ],
  };
}

/** @param {BlockRef} block @param {ElementRef} element */
function targetOf(block, element) {
  return { blockId: block.block_id, actionId: element.action_id };
}

/** @param {Item} item */
function referenceTo({ kind, channel, ts }) {
  return { kind, channel, ts };
}
