import { byId, h } from '../base/dom.js';
import { morphChildren } from '../base/morph.js';

/** @import { Person } from '../../../workspace/model.ts' */
/** @import { PageState, Place } from '../../page-types.ts' */

/** @type {Readonly<Record<Place['kind'], string>>} */
const SIGILS = { public: '#', private: '🔒', im: '@', mpim: '@' };

/**
 * Draws the channels, direct messages and the app with their unread marks, and the person to act as.
 *
 * @param {PageState} state
 * @param {{ openChannel: (id: string) => void, openApp: () => void }} actions
 */
export function drawSidebar(state, { openChannel, openApp }) {
  const { team, people, viewer, channels, channelId, app } = state;
  byId('team').textContent = team.name;
  morphChildren(
    byId('act-as'),
    people.filter(({ isBot }) => !isBot).map((person) => h('option', { value: person.name }, titleOf(person, state))),
  );
  byId('act-as', HTMLSelectElement).value = viewer.name;
  /** @param {Place} place */
  const render = (place) => {
    const sigil = h('span', { 'aria-hidden': 'true' }, place.isArchived ? '▤' : SIGILS[place.kind]);
    const note = place.isArchived ? 'archived' : '';
    const isCurrent = place.id === channelId;
    return renderPlace({ ...place, sigil, note, isCurrent, onclick: () => openChannel(place.id) });
  };
  const open = channels.filter(({ isDirect }) => !isDirect);
  const direct = channels.filter(({ isDirect, isApp }) => isDirect && !isApp);
  const ofApp = channels.find(({ isApp }) => isApp) ?? { isUnread: false, mentions: 0, id: 'app' };
  const dot = h('span', { class: app.isConnected ? 'dot on' : 'dot', 'aria-hidden': 'true' });
  const note = app.isConnected ? 'connected' : 'not connected';
  morphChildren(byId('channels'), open.map(render));
  morphChildren(byId('direct-messages'), direct.map(render));
  morphChildren(byId('apps'), [
    renderPlace({ ...ofApp, name: app.name, sigil: dot, note, isCurrent: ofApp.id === channelId, onclick: openApp }),
  ]);
}

/** @param {Person} person @param {PageState} state */
function titleOf({ realName, teamId, isGuest }, { team }) {
  return `${realName}${teamId !== team.id ? ' (another workspace)' : isGuest ? ' (guest)' : ''}`;
}

/** @param {Pick<Place, 'id' | 'name' | 'isUnread' | 'mentions'> & { sigil: Node, note: string, isCurrent: boolean, onclick: () => void }} place */
function renderPlace({ id, name, isUnread, mentions, sigil, note, isCurrent, onclick }) {
  const isMarked = !isCurrent && (isUnread || mentions > 0);
  const unread = mentions === 0 ? 'unread' : `${mentions} ${mentions === 1 ? 'mention' : 'mentions'}`;
  return h(
    'li',
    { 'data-key': id },
    h(
      'button',
      { type: 'button', class: isMarked ? 'unread' : '', 'aria-current': isCurrent ? 'page' : null, onclick },
      sigil,
      h('span', { class: 'place-name' }, name),
      note !== '' && h('small', {}, note),
      isMarked && h('small', { class: 'badge' }, unread),
    ),
  );
}
