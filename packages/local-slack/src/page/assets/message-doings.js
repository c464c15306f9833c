/**
 * What a person does with a message: what its toolbar, its menu and its blocks call.
 *
 * @param {{ send: (doing: string, body: object) => Promise<string | null>, suggest: (body: object) => Promise<object>,
 *   say: (text: string | null) => void }} server
 */
export function createMessageDoings({ send, suggest, say }) {
  const shortcutItem =
    (body) =>
    ({ name, description, callbackId }) => ({
      text: name,
      description,
      run: () => send('shortcut', { callbackId, ...body }).then(say),
    });

  function pinItem(message) {
    const isOn = message.pin === null;
    return { text: isOn ? 'Pin' : 'Unpin', run: () => send('pin', { message: placeOf(message), isOn }).then(say) };
  }

  return {
    /** Items of a menu for shortcuts that need no message. */
    globalItems: (shortcuts) => shortcuts.map(shortcutItem({})),
    messageItems: (message, shortcuts) => [
      pinItem(message),
      ...shortcuts.map(shortcutItem({ message: placeOf(message) })),
    ],
    react: (message, emoji, isOn) => send('react', { message: placeOf(message), emoji, isOn }).then(say),
    suggest: (message, block, element, typed) =>
      suggest({ place: placeOf(message), target: targetOf(block, element), typed }),
    act: (message, block, element, chosen, values) =>
      send('click', {
        place: placeOf(message),
        target: targetOf(block, element),
        chosen: chosen ?? null,
        values,
      }),
  };
}

const targetOf = (block, element) => ({ blockId: block.block_id, actionId: element.action_id });

function placeOf({ kind, channel, ts }) {
  return { kind, channel, ts };
}
