import { byId, h } from '../base/dom.js';
import { morphChildren } from '../base/morph.js';
import { renderMessage } from './message.js';

/** @import { Directory, Item, MessageContext } from '../types.ts' */

/**
 * The messages of a channel or of a thread. The style of its scroller keeps the newest one in view, unless the reader has
 * scrolled up.
 *
 * @param {{ scroller: string, list: string }} ids elements of index.html
 */
export function createTimeline(ids) {
  const scroller = byId(ids.scroller);
  const list = byId(ids.list);
  scroller.addEventListener('keydown', (event) => moveBetweenMessages(scroller, event));
  let shownPlace = '';
  let shownNames = '';

  function goToEnd() {
    scroller.scrollTop = 0;
  }

  return {
    goToEnd,
    /** Draws again only what changed. @param {string} place @param {readonly Item[]} items @param {MessageContext} context */
    update(place, items, context) {
      const names = namesIn(context.directory);
      const isNamedAlike = names === shownNames;
      shownNames = names;
      const current = new Map(
        [...list.children].flatMap((node) => (isNamedAlike ? [[node.getAttribute('data-version'), node]] : [])),
      );
      const focused = document.activeElement?.closest('li');
      const sorted = items.toSorted((one, other) => (one.ts < other.ts ? -1 : 1));
      const nodes = sorted.map((item) => {
        const version = versionOf(place, item, context);
        return (
          current.get(version) ??
          h('li', { 'data-key': `${place} ${item.ts}`, 'data-version': version }, renderMessage(item, context))
        );
      });
      morphChildren(list, nodes);
      if (focused?.isConnected && document.activeElement === document.body) {
        focused.querySelector('article')?.focus(); // its control is gone
      }
      if (place !== shownPlace) {
        shownPlace = place;
        goToEnd();
      }
    },
  };
}

/** What mentions show. @param {Directory} directory */
function namesIn({ people, channels, userGroups }) {
  const named = [...people, ...channels, ...userGroups];
  return JSON.stringify(named.map(({ id, name, ...more }) => [id, name, 'handle' in more ? more.handle : '']));
}

/** Messages of one version look the same, unless names changed. @param {string} place @param {Item} item @param {MessageContext} context */
function versionOf(place, item, { openThread, repliesOf }) {
  const { revision, ts } = item;
  const [replies, pin] =
    item.kind === 'message' ? [openThread === null ? 0 : repliesOf(ts).length, item.pin?.pinnedAt ?? ''] : [];
  return [place, item.kind, ts, revision, replies, pin, new Date().toDateString()].join(' ');
}

/** Arrows, Home and End move between messages, Tab between the controls of one. @param {HTMLElement} scroller @param {KeyboardEvent} event */
function moveBetweenMessages(scroller, event) {
  const articles = [...scroller.querySelectorAll('article')];
  const at = articles.indexOf(/** @type {HTMLElement} */ (event.target));
  if (at < 0 && event.target !== scroller) {
    return;
  }
  const from = at < 0 ? articles.length : at;
  const to = { ArrowUp: Math.max(0, from - 1), ArrowDown: from + 1, Home: 0, End: articles.length - 1 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    articles[to]?.focus();
  }
}
