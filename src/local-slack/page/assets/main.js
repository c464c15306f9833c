import { createComposer } from './composer.js';
import { byId, h } from './dom.js';
import { updateMessages } from './messages.js';
import { createModals } from './modal.js';
import { fetchState, followChanges, perform } from './server.js';

const query = new URLSearchParams(location.search);
let person = query.get('as') ?? 'ana';
let channel = query.get('channel');
let threadTs = null;
let state = null;

const send = (doing, body) => perform(person, doing, body);
const modals = createModals(send);

const composer = createComposer(byId('composer'), {
  id: 'composer-text',
  label: () => `Message ${placeName(currentChannel())}`,
  commands: () => state?.commands ?? [],
  send: (text) => send('message', { channel: state.channelId, text }),
});
const threadComposer = createComposer(byId('thread-composer'), {
  id: 'thread-text',
  label: () => 'Reply…',
  commands: () => [],
  send: (text) => send('message', { channel: state.channelId, text, threadTs }),
});

function currentChannel() {
  return state.channels.find((each) => each.id === state.channelId);
}

function placeName(place) {
  return place.kind === 'im' ? place.name : `#${place.name}`;
}

/** One fetch at a time; what changes meanwhile is fetched after it. */
let isFetching = false;
let isStale = false;
async function refresh() {
  isStale = true;
  if (isFetching) {
    return;
  }
  isFetching = true;
  while (isStale) {
    isStale = false;
    try {
      state = await fetchState(person, channel);
      draw();
    } catch {
      say('Local Slack is away. Trying to reach it…');
    }
  }
  isFetching = false;
}

function draw() {
  channel = state.channelId;
  remember();
  document.title = `${placeName(currentChannel())} · ${state.app.name} in Local Slack`;
  drawSidebar();
  drawHeader();
  drawTimeline();
  drawThread();
  modals.update(state.views, directory());
  say(state.app.isConnected ? '' : `${state.app.name} is not connected: what you do here does not reach it.`);
}

function directory() {
  return { people: state.people, channels: state.channels, appUserId: state.app.userId };
}

function drawSidebar() {
  const select = byId('act-as');
  const options = state.people
    .filter(({ isBot }) => !isBot)
    .map((each) =>
      h(
        'option',
        { value: each.name, selected: each.id === state.viewer.id },
        each.isGuest ? `${each.realName} (guest)` : each.realName,
      ),
    );
  if (select.childElementCount !== options.length || select.value !== state.viewer.name) {
    select.replaceChildren(...options);
  }
  const places = (kinds) => state.channels.filter(({ kind }) => kinds.includes(kind)).map(renderPlace);
  replaceKeepingFocus(byId('channels'), places(['public', 'private']));
  const status = state.app.isConnected ? 'connected' : 'not connected';
  const app = h(
    'li',
    { class: 'app-status' },
    h('span', { class: state.app.isConnected ? 'dot on' : 'dot', 'aria-hidden': 'true' }),
    h('span', {}, state.app.name),
    h('small', {}, status),
  );
  replaceKeepingFocus(byId('apps'), [app, ...places(['im'])]);
}

function renderPlace(place) {
  const isCurrent = place.id === state.channelId;
  const isUnread = !isCurrent && place.latestTs !== null && place.latestTs > (lastRead(place.id) ?? '');
  if (isCurrent && place.latestTs !== null) {
    markRead(place.id, place.latestTs);
  }
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: isUnread ? 'unread' : '',
        'aria-current': isCurrent ? 'page' : null,
        'data-action': `place/${place.id}`,
        onclick: () => {
          channel = place.id;
          threadTs = null;
          void refresh();
        },
      },
      h('span', { class: 'sigil', 'aria-hidden': 'true' }, place.kind === 'im' ? '@' : '#'),
      place.name,
      isUnread && h('span', { class: 'visually-hidden' }, ' (unread)'),
    ),
  );
}

function replaceKeepingFocus(list, nodes) {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.action : undefined;
  list.replaceChildren(...nodes);
  if (focused !== undefined) {
    list.querySelector(`[data-action="${CSS.escape(focused)}"]`)?.focus();
  }
}

function drawHeader() {
  const place = currentChannel();
  byId('channel-name').textContent = placeName(place);
  byId('channel-topic').textContent = place.topic;
  byId('channel-members').textContent = place.kind === 'im' ? '' : `${place.memberCount} members`;
  composer.relabel();
  threadComposer.relabel();
}

function messageContext(openThread) {
  return {
    viewer: state.viewer.id,
    directory: directory(),
    shortcuts: state.messageShortcuts,
    openThread,
    repliesOf: (ts) => state.messages.filter((message) => message.threadTs === ts),
    runShortcut: (shortcut, message) =>
      send('shortcut', { callbackId: shortcut.callbackId, message: placeOf(message) }).then(say),
    act: (message, block, element, chosen) =>
      send('click', {
        place: placeOf(message),
        target: { blockId: block.block_id, actionId: element.action_id },
        chosen: chosen ?? null,
      }),
  };
}

function placeOf({ kind, channel: channelId, ts }) {
  return { kind, channel: channelId, ts };
}

const byTs = (one, other) => (one.ts < other.ts ? -1 : 1);

function drawTimeline() {
  const items = [...state.messages, ...state.ephemerals].filter((item) => item.threadTs === null).sort(byTs);
  keepingBottom(byId('timeline'), () => updateMessages(byId('messages'), items, messageContext(openThread)));
}

function openThread(ts) {
  threadTs = ts;
  drawThread();
  byId('thread-text').focus();
}

function drawThread() {
  const parent = state.messages.find((message) => message.ts === threadTs);
  byId('thread').hidden = parent === undefined;
  if (parent !== undefined) {
    const replies = [...state.messages, ...state.ephemerals].filter((item) => item.threadTs === threadTs).sort(byTs);
    const list = byId('thread-messages');
    keepingBottom(list.parentElement, () => updateMessages(list, [parent, ...replies], messageContext(null)));
  }
}

/** Who reads the newest stays with the newest; who reads back is left alone. */
function keepingBottom(scroller, change) {
  const isAtBottom = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 60;
  const isNewPlace = scroller.dataset.place !== `${person} ${channel} ${threadTs ?? ''}`;
  change();
  if (isAtBottom || isNewPlace) {
    scroller.scrollTop = scroller.scrollHeight;
  }
  scroller.dataset.place = `${person} ${channel} ${threadTs ?? ''}`;
}

function say(text) {
  const notice = byId('notice');
  if (notice.textContent !== (text ?? '')) {
    notice.textContent = text ?? '';
  }
}

/** The address names who looks at what, so that a reload or a second window shows the same. */
function remember() {
  const name = currentChannel().kind === 'im' ? state.channelId : currentChannel().name;
  history.replaceState(null, '', `?${new URLSearchParams({ as: person, channel: name })}`);
}

const readKey = (channelId) => `read ${person} ${channelId}`;
const lastRead = (channelId) => localStorage.getItem(readKey(channelId));
const markRead = (channelId, ts) => localStorage.setItem(readKey(channelId), ts);

byId('act-as').addEventListener('change', (event) => {
  person = event.target.value;
  threadTs = null;
  void refresh();
});
byId('thread-close').addEventListener('click', () => {
  threadTs = null;
  drawThread();
  byId('composer-text').focus();
});

followChanges(refresh, (isConnected) => {
  if (!isConnected) {
    say('Local Slack is away. Trying to reach it…');
  }
});
