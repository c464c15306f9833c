import { createAnnouncer } from './announcer.js';
import { createComposer } from './composer.js';
import { byId } from './dom.js';
import { drawHeader, placeName } from './header.js';
import { createHome } from './home.js';
import { createMenu } from './menu.js';
import { createMessageDoings } from './message-doings.js';
import { handleMessageKeys, updateMessages } from './messages.js';
import { createModals } from './modal.js';
import { choosePeople } from './new-message.js';
import { followEnd } from './scrolling.js';
import { ask, fetchState, followChanges, perform, upload } from './server.js';
import { drawSidebar } from './sidebar.js';
import { createTools } from './tools.js';

const AWAY = 'Local Slack is away. Trying to reach it…';

const query = new URLSearchParams(location.search);
let person = query.get('as') ?? 'ana';
let channel = query.get('channel');
let tab = query.get('tab') ?? 'messages';
let threadTs = null;
let state = null;
/** Who came where, and the first message that was unread then: above it stands the line "New". */
let arrival = { place: null, firstNewTs: null };

const send = (doing, body) => perform(person, doing, body);
const suggest = (body) => ask(person, 'suggest', body);
const server = { perform: send, suggest, upload: (file) => upload(person, file) };
const doings = createMessageDoings({ send, suggest, say });
const modals = createModals(server);
const home = createHome(server);
const announcer = createAnnouncer();

const composer = createComposer(byId('composer'), {
  id: 'composer-text',
  label: () => `Message ${placeName(currentChannel())}`,
  commands: () => state?.commands ?? [],
  send: (text, files) => send('message', { channel: state.channelId, text, files }),
  upload: server.upload,
  tools: [
    createMenu({
      label: 'Shortcuts',
      text: '⚡',
      class: 'icon-button',
      items: () => doings.globalItems(state.globalShortcuts),
    }),
  ],
});
const threadComposer = createComposer(byId('thread-composer'), {
  id: 'thread-text',
  label: () => 'Reply…',
  commands: () => [],
  send: (text, files) => send('message', { channel: state.channelId, text, files, threadTs }),
  upload: server.upload,
});

function currentChannel() {
  return state.channels.find((each) => each.id === state.channelId);
}

const isApp = () => currentChannel()?.isApp === true;
const isHomeShown = () => isApp() && state.app.hasHome && (tab === 'home' || !state.app.hasMessages);

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
    const asked = [person, channel];
    let fetched;
    try {
      fetched = await fetchState(...asked);
    } catch {
      say(AWAY);
      break;
    }
    if (person === asked[0] && channel === asked[1]) {
      state = fetched;
      draw();
    } else {
      isStale = true; // they went elsewhere meanwhile
    }
  }
  isFetching = false;
}

function draw() {
  drawSidebar(state, { openChannel, openApp: () => void openApp(state.app.hasHome ? 'home' : 'messages') });
  byId('nowhere').hidden = state.channelId !== '';
  byId('channel').hidden = state.channelId === '';
  modals.update(state.views, directory());
  say(state.app.isConnected ? '' : `${state.app.name} is not connected: what you do here does not reach it.`);
  if (state.channelId === '') {
    return;
  }
  channel = state.channelId;
  noteArrival();
  remember();
  drawHeader(state, currentChannel(), isHomeShown());
  composer.relabel();
  threadComposer.relabel();
  drawTimeline();
  drawThread();
  if (isHomeShown()) {
    home.update(state, directory());
  }
  announcer.tell(`${person} ${channel}`, state);
  markRead();
}

function directory() {
  return { people: state.people, channels: state.channels, appUserId: state.app.userId, team: state.team };
}

function noteArrival() {
  const place = `${person} ${channel}`;
  if (arrival.place !== place) {
    const isNew = ({ ts, threadTs, user }) => ts > state.lastReadTs && threadTs === null && user !== state.viewer.id;
    arrival = { place, firstNewTs: state.messages.find(isNew)?.ts ?? null };
  }
}

/** What is on the screen counts as read; a window in the background is not being read. */
function markRead() {
  const newest = state.messages.at(-1)?.ts ?? '';
  const place = currentChannel();
  const hasNews = place.isUnread || place.mentions > 0;
  if (document.hidden || isHomeShown()) {
    return;
  }
  if (hasNews && arrival.keptUnread !== newest) {
    void send('read', { channel, ts: newest });
  }
}

function markUnread({ ts }) {
  const before = state.messages.findLast((message) => message.ts < ts)?.ts ?? '';
  arrival = { ...arrival, firstNewTs: ts, keptUnread: state.messages.at(-1).ts };
  void send('read', { channel, ts: before });
}

function openChannel(id) {
  channel = id;
  threadTs = null;
  void refresh();
}

async function openApp(wanted) {
  tab = wanted;
  say(await send('app-home', { tab }));
  openChannel('app');
}

async function startDirectMessage() {
  const people = await choosePeople(state.people.filter(({ id }) => id !== state.viewer.id));
  if (people.length === 0) {
    return;
  }
  const { channel: id, shown } = await ask(person, 'direct-message', { people });
  say(shown);
  if (id !== undefined) {
    tab = 'messages';
    openChannel(id);
    byId('composer-text').focus();
  }
}

function messageContext(openIn) {
  return {
    ...doings,
    viewer: state.viewer.id,
    directory: directory(),
    firstNewTs: openIn === null ? null : arrival.firstNewTs,
    openThread: openIn,
    repliesOf: (ts) => state.messages.filter((message) => message.threadTs === ts),
    menuItems: (message) =>
      message.kind === 'message'
        ? [
            ...(openIn === null ? [] : [{ text: 'Mark unread', run: () => markUnread(message) }]),
            ...doings.messageItems(message, state.messageShortcuts),
          ]
        : [],
  };
}

const changeTimeline = followEnd(byId('timeline'));
const changeThread = followEnd(byId('thread-messages').parentElement);

const byTs = (one, other) => (one.ts < other.ts ? -1 : 1);

function drawTimeline() {
  const items = [...state.messages, ...state.ephemerals]
    .filter((item) => item.threadTs === null || item.isBroadcast)
    .sort(byTs);
  changeTimeline(`${person} ${channel}`, () => updateMessages(byId('messages'), items, messageContext(openThread)));
}

function openThread(ts) {
  threadTs = ts;
  drawThread();
  (byId('thread-composer').hidden ? byId('thread-close') : byId('thread-text')).focus();
}

function closeThread() {
  const opener = document.querySelector(`[data-item="${CSS.escape(threadTs ?? '')}"] article`);
  threadTs = null;
  drawThread();
  (opener ?? byId('composer-text')).focus();
}

function drawThread() {
  const parent = state.messages.find((message) => message.ts === threadTs);
  byId('thread').hidden = parent === undefined;
  if (parent !== undefined) {
    const replies = [...state.messages, ...state.ephemerals].filter((item) => item.threadTs === threadTs).sort(byTs);
    const list = byId('thread-messages');
    changeThread(`${channel} ${threadTs}`, () => updateMessages(list, [parent, ...replies], messageContext(null)));
  }
}

function say(text) {
  const notice = byId('notice');
  if (notice.textContent !== (text ?? '')) {
    notice.textContent = text ?? '';
  }
}

/** The address names who looks at what, so that a reload or a second window shows the same. */
function remember() {
  const place = isApp()
    ? { channel: 'app', tab: isHomeShown() ? 'home' : 'messages' }
    : { channel: currentChannel().isDirect ? channel : currentChannel().name };
  history.replaceState(null, '', `?${new URLSearchParams({ as: person, ...place })}`);
}

byId('act-as').addEventListener('change', (event) => {
  person = event.target.value;
  threadTs = null;
  void refresh();
});
byId('new-message').addEventListener('click', () => void startDirectMessage());
byId('thread-close').addEventListener('click', closeThread);
byId('thread').addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented) {
    closeThread();
  }
});
for (const name of ['home', 'messages']) {
  byId(`tab-${name}`).addEventListener('click', () => void openApp(name));
}
byId('tabs').addEventListener('keydown', (event) => {
  if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
    const other = byId(isHomeShown() ? 'tab-messages' : 'tab-home');
    other.focus();
    other.click();
  }
});
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && state !== null) {
    arrival = { place: null, firstNewTs: null };
    void refresh();
  }
});
handleMessageKeys(byId('timeline'));
handleMessageKeys(byId('thread-messages').parentElement);

const tools = createTools(() => state);
followChanges({
  onChange: () => {
    void refresh();
    tools.changed();
  },
  onInspected: tools.inspected,
  onPanel: tools.panelChanged,
  onConnection: (isConnected) => {
    if (!isConnected) {
      say(AWAY);
    }
  },
});
if (channel === 'app') {
  void perform(person, 'app-home', { tab }).then(refresh);
}
