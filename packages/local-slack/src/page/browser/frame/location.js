/**
 * What the address of the page says: the person, the channel and the tab of the app. A reload or a second window shows
 * the same.
 */
export function readLocation() {
  const query = new URLSearchParams(location.search);
  return { person: query.get('as') ?? 'ana', channel: query.get('channel'), tab: query.get('tab') ?? 'messages' };
}

/** @param {{ as: string, channel: string, tab?: string }} query */
export function writeLocation(query) {
  history.replaceState(null, '', `?${new URLSearchParams(query)}`);
}
