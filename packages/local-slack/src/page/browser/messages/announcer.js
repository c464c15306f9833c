import { byId } from '../base/dom.js';
import { decode } from '../text/mrkdwn.js';

/** @import { PageState } from '../../page-types.ts' */
/** @import { Item } from '../types.ts' */

/** Announces new messages of others to screen readers. */
export function createAnnouncer() {
  const region = byId('announcer');
  /** @type {string | null} */
  let shownPlace = null;
  let newestTs = '';

  return {
    /** @param {string} place nothing is announced on arrival at a new place @param {PageState} state */
    announce(place, state) {
      const items = [...state.messages, ...state.ephemerals];
      if (shownPlace === place) {
        const fresh = items.filter((item) => item.ts > newestTs && !isOwn(item, state));
        if (fresh.length > 0) {
          region.textContent = fresh.map((item) => `${authorName(item, state)}: ${spokenText(item.text)}`).join('\n');
        }
      }
      shownPlace = place;
      newestTs = items.reduce((newest, { ts }) => (ts > newest ? ts : newest), '');
    },
  };
}

/** @param {Item} item @param {PageState} state */
function isOwn(item, { viewer }) {
  return item.kind === 'message' && item.user === viewer.id;
}

/** @param {Item} item @param {PageState} state */
function authorName(item, { app, people }) {
  if (item.kind === 'ephemeral') {
    return `${item.from === 'slackbot' ? 'Slackbot' : app.name}, only to you`;
  }
  return people.find(({ id }) => id === item.user)?.realName ?? item.user;
}

/** mrkdwn as read aloud: references become their labels, and entities what they stand for. @param {string} text */
function spokenText(text) {
  return decode(text.replace(/<[^<>]*\|([^<>]*)>/g, '$1').replace(/[*_~`]/g, ''));
}
