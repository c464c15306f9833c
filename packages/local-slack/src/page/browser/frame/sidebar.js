import { byId, findByAction, focusedIn, h } from '../base/dom.js';

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
export function drawSidebar(state, actions) {
  byId('team').textContent = state.team.name;
  drawPeople(state);
  const channels = state.channels
    .filter(({ isDirect }) => !isDirect)
    .sort((one, other) => Number(one.isArchived) - Number(other.isArchived));
  const direct = state.channels.filter(({ isDirect, isApp }) => isDirect && !isApp);
  /** @param {Place} place */
  const render = (place) => renderPlace(place, place.id === state.channelId, () => actions.openChannel(place.id));
  replaceChanged(byId('channels'), channels.map(render));
  replaceChanged(byId('direct-messages'), direct.map(render));
  replaceChanged(byId('apps'), [renderApp(state, actions.openApp)]);
}

/** @param {PageState} state */
function drawPeople(state) {
  const select = byId('act-as', HTMLSelectElement);
  const people = state.people.filter(({ isBot }) => !isBot);
  if (select.childElementCount !== people.length || select.value !== state.viewer.name) {
    select.replaceChildren(
      ...people.map((person) =>
        h(
          'option',
          { value: person.name, selected: person.id === state.viewer.id },
          `${person.realName}${roleOf(person, state)}`,
        ),
      ),
    );
  }
}

/** @param {Person} person @param {PageState} state */
function roleOf(person, { team }) {
  if (person.teamId !== team.id) {
    return ' (another workspace)';
  }
  return person.isGuest ? ' (guest)' : '';
}

/** @param {Place} place @param {boolean} isCurrent @param {() => void} onclick */
function renderPlace(place, isCurrent, onclick) {
  const isUnread = place.isUnread && !isCurrent;
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: [isUnread && 'unread', place.isArchived && 'archived'].filter(Boolean).join(' '),
        'aria-current': isCurrent ? 'page' : null,
        'data-action': `place/${place.id}`,
        onclick,
      },
      h('span', { class: 'sigil', 'aria-hidden': 'true' }, place.isArchived ? '▤' : SIGILS[place.kind]),
      h('span', { class: 'place-name' }, place.name),
      place.isArchived && h('small', {}, 'archived'),
      ...renderMarks(place, isCurrent),
    ),
  );
}

/** @param {Pick<Place, 'isUnread' | 'mentions'>} place @param {boolean} isCurrent */
function renderMarks(place, isCurrent) {
  if (isCurrent || !(place.isUnread || place.mentions > 0)) {
    return [];
  }
  if (place.mentions === 0) {
    return [h('span', { class: 'visually-hidden' }, ' (unread)')];
  }
  const spoken = place.mentions === 1 ? ' mention' : ' mentions';
  return [h('span', { class: 'mention-count' }, `${place.mentions}`, h('span', { class: 'visually-hidden' }, spoken))];
}

/** @param {PageState} state @param {() => void} onclick */
function renderApp({ app, channels, channelId }, onclick) {
  const place = channels.find(({ isApp }) => isApp) ?? { isUnread: false, mentions: 0, id: 'app' };
  const isCurrent = place.id === channelId;
  const status = app.isConnected ? 'connected' : 'not connected';
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: place.isUnread && !isCurrent ? 'unread' : '',
        'aria-current': isCurrent ? 'page' : null,
        'data-action': 'place/app',
        onclick,
      },
      h('span', { class: app.isConnected ? 'dot on' : 'dot', 'aria-hidden': 'true' }),
      h('span', { class: 'place-name' }, app.name),
      h('small', {}, status),
      ...renderMarks(place, isCurrent),
    ),
  );
}

/**
 * Replaces only the nodes that changed, so that the others keep their focus.
 *
 * @param {HTMLElement} list
 * @param {readonly HTMLElement[]} nodes
 */
function replaceChanged(list, nodes) {
  const focusedAction = focusedIn(list)?.dataset.action;
  for (const [index, node] of nodes.entries()) {
    const before = list.children[index];
    if (before === undefined) {
      list.append(node);
    } else if (!before.isEqualNode(node)) {
      before.replaceWith(node);
    }
  }
  while (list.children.length > nodes.length) {
    list.lastElementChild?.remove();
  }
  findByAction(list, focusedAction)?.focus();
}
