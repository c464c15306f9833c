import { byId, h } from './dom.js';

/**
 * Draws what stands beside the channel: places with their unread marks, the app, and who one acts as.
 *
 * @param {object} state
 * @param {{ openChannel: (id: string) => void, openApp: () => void }} doings
 */
export function drawSidebar(state, doings) {
  byId('team').textContent = state.team.name;
  drawPeople(state);
  const channels = state.channels.filter(({ isDirect }) => !isDirect).sort(archivedLast);
  const direct = state.channels.filter(({ isDirect, isApp }) => isDirect && !isApp);
  const render = (place) => renderPlace(place, place.id === state.channelId, () => doings.openChannel(place.id));
  replaceKeepingFocus(byId('channels'), channels.map(render));
  replaceKeepingFocus(byId('direct-messages'), direct.map(render));
  replaceKeepingFocus(byId('apps'), [renderApp(state, doings)]);
}

const archivedLast = (one, other) => Number(one.isArchived) - Number(other.isArchived);

function drawPeople(state) {
  const select = byId('act-as');
  const people = state.people.filter(({ isBot }) => !isBot);
  if (select.childElementCount !== people.length || select.value !== state.viewer.name) {
    select.replaceChildren(
      ...people.map((each) =>
        h(
          'option',
          { value: each.name, selected: each.id === state.viewer.id },
          `${each.realName}${standing(each, state)}`,
        ),
      ),
    );
  }
}

function standing(person, state) {
  if (person.teamId !== state.team.id) {
    return ' (another workspace)';
  }
  return person.isGuest ? ' (guest)' : '';
}

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
      h('span', { class: 'sigil', 'aria-hidden': 'true' }, SIGILS[place.isArchived ? 'archived' : place.kind]),
      h('span', { class: 'place-name' }, place.name),
      place.isArchived && h('small', {}, 'archived'),
      ...renderMarks(place, isCurrent),
    ),
  );
}

const SIGILS = { public: '#', private: '🔒', archived: '▤', im: '@', mpim: '@' };

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

function renderApp({ app, channels, channelId }, { openApp }) {
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
        onclick: openApp,
      },
      h('span', { class: app.isConnected ? 'dot on' : 'dot', 'aria-hidden': 'true' }),
      h('span', { class: 'place-name' }, app.name),
      h('small', {}, status),
      ...renderMarks(place, isCurrent),
    ),
  );
}

/** What is drawn as before stays in place, so that a click which has begun on it does not come to nothing. */
function replaceKeepingFocus(list, nodes) {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.action : undefined;
  for (const [index, node] of nodes.entries()) {
    const before = list.children[index];
    if (before === undefined) {
      list.append(node);
    } else if (!before.isEqualNode(node)) {
      before.replaceWith(node);
    }
  }
  while (list.children.length > nodes.length) {
    list.lastElementChild.remove();
  }
  if (focused !== undefined) {
    list.querySelector(`[data-action="${CSS.escape(focused)}"]`)?.focus();
  }
}
