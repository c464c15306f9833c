import { coalesce } from './base/coalesce.js';
import { byId } from './base/dom.js';
import { createMenu } from './base/menu.js';
import { untilReleased } from './base/press.js';
import { fetchState, followChanges, openDirectMessage, perform, suggest, upload } from './base/server.js';
import { createComposer } from './frame/composer.js';
import { drawHeader, placeName } from './frame/header.js';
import { readLocation, writeLocation } from './frame/location.js';
import { choosePeople } from './frame/new-message.js';
import { drawSidebar } from './frame/sidebar.js';
import { createAnnouncer } from './messages/announcer.js';
import { createMessageActions } from './messages/message-actions.js';
import { createReadPosition } from './messages/read-position.js';
import { createTimeline } from './messages/timeline.js';
import { keepDatesTrue } from './text/dates.js';
import { renderMrkdwn } from './text/mrkdwn.js';
import { createTools } from './tools/tools.js';
import { createHome } from './views/home.js';
import { createModals } from './views/modal.js';

/** @import { PageState, Place } from '../page-types.ts' */
/** @import { Directory, MessageContext, Server } from './types.ts' */

const UNREACHABLE = 'Local Slack does not answer. Trying again…';

let { person, channel, tab } = readLocation();
/** @type {string | null} */
let threadTs = null;
/** @type {PageState | null} */
let state = null;

/** @type {Server} */
const server = {
  perform: (action, body) => perform(person, action, body),
  suggest: (body) => suggest(person, body),
  upload: (file) => upload(person, file),
};
const actions = createMessageActions(server, showNotice);
const modals = createModals(server);
const home = createHome(server);
const announcer = createAnnouncer();
const readPosition = createReadPosition(server);
const timeline = createTimeline({ scroller: 'timeline', list: 'messages', button: 'timeline-new' });
const thread = createTimeline({ scroller: 'thread-timeline', list: 'thread-messages', button: 'thread-new' });

const composer = createComposer(byId('composer', HTMLFormElement), {
  id: 'composer-text',
  label: () => `Message ${state === null ? '' : placeName(currentPlace(state))}`,
  commands: () => state?.commands ?? [],
  send(text, files) {
    timeline.goToEnd(); // what follows, such as the response to a command, stays in view
    return server.perform('message', { channel: state?.channelId, text, files });
  },
  upload: server.upload,
  tools: [
    createMenu({
      label: 'Shortcuts',
      text: '⚡',
      class: 'icon-button',
      items: () => actions.globalItems(state?.globalShortcuts ?? []),
    }).node,
  ],
});
const threadComposer = createComposer(byId('thread-composer', HTMLFormElement), {
  id: 'thread-text',
  label: () => 'Reply…',
  commands: () => [],
  send(text, files) {
    thread.goToEnd();
    return server.perform('message', { channel: state?.channelId, text, files, threadTs });
  },
  upload: server.upload,
});

/** The open channel. @param {PageState} current @returns {Place} */
function currentPlace({ channels, channelId }) {
  const place = channels.find(({ id }) => id === channelId);
  if (place === undefined) {
    throw new Error(`the state has no channel ${channelId}`);
  }
  return place;
}

/** @param {PageState} current */
function isHomeShown(current) {
  return currentPlace(current).isApp && current.app.hasHome && (tab === 'home' || !current.app.hasMessages);
}

const refresh = coalesce(async () => {
  const [askedPerson, askedChannel] = [person, channel];
  const fetched = await fetchState(askedPerson, askedChannel).catch(() => null);
  await untilReleased();
  if (fetched === null) {
    showNotice(UNREACHABLE); // the next connection of followChanges refreshes again
  } else if (person === askedPerson && channel === askedChannel) {
    state = fetched;
    draw(fetched);
    tools.onState();
  } else {
    void refresh(); // the person went elsewhere meanwhile
  }
});

/** @param {PageState} current */
function draw(current) {
  drawSidebar(current, { openChannel, openApp: () => void openApp(current.app.hasHome ? 'home' : 'messages') });
  const isNowhere = current.channelId === '';
  byId('nowhere').hidden = !isNowhere;
  byId('channel').hidden = isNowhere;
  modals.update(current.views, directoryOf(current));
  showNotice(
    current.app.isConnected ? '' : `${current.app.name} is not connected: what you do here does not reach it.`,
  );
  if (isNowhere) {
    return;
  }
  channel = current.channelId;
  readPosition.arrive(`${person} ${channel}`, current);
  updateLocation(current);
  drawHeader(current, currentPlace(current), isHomeShown(current));
  composer.relabel();
  threadComposer.relabel();
  drawWelcome(current);
  drawTimeline(current);
  drawThread(current);
  if (isHomeShown(current)) {
    home.update(current, directoryOf(current));
  }
  announcer.announce(`${person} ${channel}`, current);
  if (!isHomeShown(current)) {
    readPosition.markRead(current);
  }
}

/** @param {PageState} current @returns {Directory} */
function directoryOf({ people, channels, userGroups, app, team }) {
  return { people, channels, userGroups, appUserId: app.userId, team };
}

/** @param {string} id */
function openChannel(id) {
  channel = id;
  threadTs = null;
  void refresh();
}

/** @param {'home' | 'messages'} wanted */
async function openApp(wanted) {
  tab = wanted;
  showNotice(await server.perform('app-home', { tab }));
  openChannel('app');
}

async function startDirectMessage() {
  const others = state?.people.filter(({ id }) => id !== state?.viewer.id) ?? [];
  const people = await choosePeople(others);
  if (people.length === 0) {
    return;
  }
  const { channel: id, shown } = await openDirectMessage(person, people);
  showNotice(shown);
  if (id !== undefined) {
    tab = 'messages';
    openChannel(id);
    byId('composer-text').focus();
  }
}

/** @param {PageState} current @param {((ts: string) => void) | null} openIn @returns {MessageContext} */
function messageContext(current, openIn) {
  return {
    ...actions,
    viewer: current.viewer.id,
    directory: directoryOf(current),
    firstNewTs: openIn === null ? null : readPosition.firstNewTs(),
    openThread: openIn,
    repliesOf: (ts) => current.messages.filter((message) => message.threadTs === ts),
    menuItems: (message) => [
      ...(openIn === null ? [] : [{ text: 'Mark unread', run: () => readPosition.markUnread(current, message) }]),
      ...actions.messageItems(message, current.messageShortcuts),
    ],
  };
}

/** @param {PageState} current */
function drawWelcome(current) {
  const isEmpty = current.messages.length === 0 && current.ephemerals.length === 0;
  const welcome = isEmpty ? current.welcome : null;
  byId('welcome').hidden = welcome === null;
  byId('welcome').replaceChildren(...(welcome === null ? [] : renderMrkdwn(welcome, directoryOf(current))));
}

/** @param {PageState} current */
function drawTimeline(current) {
  const messages = current.messages.filter((message) => message.threadTs === null || message.isBroadcast);
  const ephemerals = current.ephemerals.filter((message) => message.threadTs === null);
  timeline.update(`${person} ${channel}`, [...messages, ...ephemerals], messageContext(current, openThread));
}

/** @param {string} ts */
function openThread(ts) {
  threadTs = ts;
  if (state !== null) {
    drawThread(state);
  }
  byId(byId('thread-composer').hidden ? 'thread-close' : 'thread-text').focus();
}

function closeThread() {
  const opener = document.querySelector(`[data-item="${CSS.escape(threadTs ?? '')}"] article`);
  threadTs = null;
  byId('thread').hidden = true;
  (opener instanceof HTMLElement ? opener : byId('composer-text')).focus();
}

/** @param {PageState} current */
function drawThread(current) {
  const parent = current.messages.find((message) => message.ts === threadTs);
  byId('thread').hidden = parent === undefined;
  if (parent !== undefined) {
    const replies = [...current.messages, ...current.ephemerals].filter((item) => item.threadTs === threadTs);
    thread.update(`${channel} ${threadTs}`, [parent, ...replies], messageContext(current, null));
  }
}

/** @param {string | null} text */
function showNotice(text) {
  const notice = byId('notice');
  if (notice.textContent !== (text ?? '')) {
    notice.textContent = text;
  }
}

/** @param {PageState} current */
function updateLocation(current) {
  const place = currentPlace(current);
  if (place.isApp) {
    writeLocation({ as: person, channel: 'app', tab: isHomeShown(current) ? 'home' : 'messages' });
  } else {
    writeLocation({ as: person, channel: place.isDirect ? place.id : place.name });
  }
}

byId('act-as', HTMLSelectElement).addEventListener('change', () => {
  person = byId('act-as', HTMLSelectElement).value;
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
byId('tab-home').addEventListener('click', () => void openApp('home'));
byId('tab-messages').addEventListener('click', () => void openApp('messages'));
byId('tabs').addEventListener('keydown', (event) => {
  if (state !== null && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
    const other = byId(isHomeShown(state) ? 'tab-messages' : 'tab-home');
    other.focus();
    other.click();
  }
});
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && state !== null) {
    readPosition.leave();
    void refresh();
  }
});

keepDatesTrue();
const tools = createTools(() => state, server);
followChanges({
  onChange: () => {
    void refresh();
    tools.onChange();
  },
  onInspected: tools.onInspected,
  onPanel: tools.onPanel,
  onConnection: (isConnected) => {
    if (!isConnected) {
      showNotice(UNREACHABLE);
    }
  },
});
if (channel === 'app') {
  void server.perform('app-home', { tab }).then(refresh);
}
