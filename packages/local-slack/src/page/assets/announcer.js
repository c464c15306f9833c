import { byId } from './dom.js';

/** Tells a screen reader what was said by others in the place that is open, once and in words. */
export function createAnnouncer() {
  const region = byId('announcer');
  let place = null;
  let newestTs = '';

  /** @param {string} where who looks at what: nothing is announced on arriving there */
  function tell(where, state) {
    const items = [...state.messages, ...state.ephemerals];
    const newest = items.reduce((ts, item) => (item.ts > ts ? item.ts : ts), '');
    if (place === where) {
      const fresh = items.filter((item) => item.ts > newestTs && item.user !== state.viewer.id);
      if (fresh.length > 0) {
        region.textContent = fresh.map((item) => `${authorName(item, state)}: ${plain(item.text)}`).join('\n');
      }
    }
    place = where;
    newestTs = newest;
  }

  return { tell };
}

function authorName(item, state) {
  if (item.kind === 'ephemeral') {
    return `${item.from === 'slackbot' ? 'Slackbot' : state.app.name}, to you alone`;
  }
  return state.people.find(({ id }) => id === item.user)?.realName ?? item.user;
}

/** mrkdwn as it would be read aloud: a reference is its label. */
function plain(text) {
  return text.replace(/<[^<>|]*\|([^<>]*)>/g, '$1').replace(/[*_~`]/g, '');
}
