import { coalesce } from './base/coalesce.js';
import { byId } from './base/dom.js';
import { createMenu } from './base/menu.js';
import { fetchState, followChanges, perform, session } from './base/server.js';
import { createComposer } from './frame/composer.js';
import { drawHeader, placeName } from './frame/header.js';
import { createPanel } from './frame/panel.js';
import { drawSidebar } from './frame/sidebar.js';
import { createModals, drawHome } from './frame/views.js';
import { placeOf } from './messages/message.js';
import { createTimeline } from './messages/timeline.js';
import { keepDatesTrue } from './text/dates.js';
import { renderMrkdwn } from './text/mrkdwn.js';

/** @import { Message } from '../../workspace/model.ts' */
/** @import { PageState, Place, Shortcut } from '../page-types.ts' */
/** @import { MenuItem, MessageContext } from './types.ts' */

const UNREACHABLE = 'Local Slack does not answer. Trying again…';

// The address says the person, the channel and the tab of the app, so that a reload or a second window shows the same.
const query = new URLSearchParams(location.search);
session.person = query.get('as') ?? session.person;
let channel = query.get('channel');
let tab = query.get('tab') ?? 'messages';
/** @type {string | null} */
let threadTs = null;
/** @type {PageState | null} */
let state = null;

const modals = createModals();
const panel = createPanel();
const timeline = createTimeline({ scroller: 'timeline', list: 'messages' });
const thread = createTimeline({ scroller: 'thread-timeline', list: 'thread-messages' });
const composer = createComposer(byId('composer', HTMLFormElement), {
  id: 'composer-text',
  commands: () => state?.commands ?? [],
  send(text) {
    timeline.goToEnd(); // what follows, such as the response to a command, stays in view
    return perform('message', { channel, text });
  },
  tool: createMenu({
    label: 'Shortcuts',
    text: '⚡',
    items: () => state?.globalShortcuts.map((shortcut) => shortcutItem(shortcut)) ?? [],
  }),
});
const threadComposer = createComposer(byId('thread-composer', HTMLFormElement), {
  id: 'thread-text',
  commands: () => [],
  send(text) {
    thread.goToEnd();
    return perform('message', { channel, text, threadTs });
  },
});
threadComposer.relabel('Reply…');

/** Does something and shows its error. @param {string} action @param {object} body */
async function run(action, body) {
  showNotice((await perform(action, body)).shown);
}

/** @param {Shortcut} shortcut @param {object} [more] @returns {MenuItem} */
function shortcutItem({ name, description, callbackId }, more) {
  return { text: name, description, run: () => run('shortcut', { callbackId, ...more }) };
}

/** @param {Message} message @returns {MenuItem[]} */
function menuItems(message) {
  const isOn = message.pin === null;
  const place = { message: placeOf(message) };
  return [
    { text: isOn ? 'Pin' : 'Unpin', run: () => run('pin', { ...place, isOn }) },
    ...(state?.messageShortcuts.map((shortcut) => shortcutItem(shortcut, place)) ?? []),
  ];
}

/** @param {PageState} current @returns {Place | undefined} undefined when the person is in no channel */
function currentPlace({ channels, channelId }) {
  return channels.find(({ id }) => id === channelId);
}

/** @param {PageState} current */
function isHomeShown(current) {
  const isApp = currentPlace(current)?.isApp === true;
  return isApp && current.app.hasHome && (tab === 'home' || !current.app.hasMessages);
}

const refresh = coalesce(async () => {
  const asked = `${session.person} ${channel}`;
  const fetched = await fetchState(channel);
  if (fetched === null) {
    showNotice(UNREACHABLE); // the next connection of followChanges refreshes again
  } else if (asked === `${session.person} ${channel}`) {
    state = fetched;
    draw(fetched);
  } else {
    void refresh(); // the person went elsewhere meanwhile
  }
});

/** @param {PageState} current */
function draw(current) {
  const { people, channels, userGroups, app, team, channelId, messages, ephemerals } = current;
  const directory = { people, channels, userGroups, appUserId: app.userId, team };
  const place = currentPlace(current);
  drawSidebar(current, { openChannel, openApp: () => void openApp(app.hasHome ? 'home' : 'messages') });
  byId('nowhere').hidden = place !== undefined;
  byId('channel').hidden = place === undefined;
  modals.update(current.views, directory);
  showNotice(app.isConnected ? '' : `${app.name} is not connected: what you do here does not reach it.`);
  if (place === undefined) {
    return;
  }
  channel = channelId;
  const isHome = isHomeShown(current);
  const named = place.isApp ? { channel: 'app', tab: isHome ? 'home' : 'messages' } : null;
  const address = named ?? { channel: place.isDirect ? place.id : place.name };
  history.replaceState(null, '', `?${new URLSearchParams({ as: session.person, ...address })}`);
  drawHeader(current, place, isHome);
  composer.relabel(`Message ${placeName(place)}`);
  const welcome = messages.length + ephemerals.length === 0 ? (current.welcome ?? '') : '';
  byId('welcome').replaceChildren(...(welcome === '' ? [] : renderMrkdwn(welcome, directory)));
  if (isHome) {
    drawHome(current, directory);
  }

  /** @param {MessageContext['openThread']} openIn @returns {MessageContext} */
  const context = (openIn) => ({
    directory,
    openThread: openIn,
    repliesOf: (ts) => messages.filter((message) => message.threadTs === ts),
    menuItems,
  });
  const all = [...messages, ...ephemerals];
  const inChannel = all.filter((item) => item.threadTs === null || (item.kind === 'message' && item.isBroadcast));
  timeline.update(`${session.person} ${channelId}`, inChannel, context(openThread));
  const inThread = all.filter((item) => threadTs !== null && [item.ts, item.threadTs].includes(threadTs));
  byId('thread').hidden = inThread.length === 0;
  thread.update(`${channelId} ${threadTs}`, inThread, context(null));

  const newest = messages.at(-1);
  if (!isHome && !document.hidden && newest !== undefined && newest.ts > current.lastReadTs) {
    void perform('read', { channel, ts: newest.ts });
  }
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
  await run('app-home', { tab });
  openChannel('app');
}

/** @param {string} ts */
function openThread(ts) {
  threadTs = ts;
  if (state !== null) {
    draw(state);
  }
  byId(byId('thread-composer').hidden ? 'thread-close' : 'thread-text').focus();
}

function closeThread() {
  const opener = byId('messages').querySelector(`[data-key$="${threadTs}"] article`);
  threadTs = null;
  byId('thread').hidden = true;
  (opener instanceof HTMLElement ? opener : byId('composer-text')).focus();
}

/** @param {string | null} text */
function showNotice(text) {
  const notice = byId('notice');
  if (notice.textContent !== (text ?? '')) {
    notice.textContent = text;
  }
}

/** Asks for handles of people. @param {string} question @param {string} example */
function askForPeople(question, example) {
  return (window.prompt(question, example) ?? '').split(/[\s,@]+/).filter((handle) => handle !== '');
}

async function startDirectMessage() {
  const people = askForPeople('Write to whom? Handles, such as: ben chloe', '');
  if (people.length === 0) {
    return;
  }
  /** @type {Awaited<ReturnType<typeof perform<{ channel: string }>>>} */
  const { channel: id, shown } = await perform('direct-message', { people });
  showNotice(shown);
  if (id !== undefined) {
    tab = 'messages';
    openChannel(id);
    byId('composer-text').focus();
  }
}

async function setUserGroup() {
  const { userGroups = [], people = [] } = state ?? {};
  const nameOf = (/** @type {string} */ id) => people.find((person) => person.id === id)?.name;
  const known = userGroups.map(({ handle, users }) => `@${handle}: ${users.map(nameOf).join(' ')}`);
  const question = ['A user group: its handle, and then those of its people.', ...known].join('\n');
  const [handle, ...members] = askForPeople(question, '@on-call ana ben');
  if (handle !== undefined) {
    await run('user-group', { handle: handle.replace(/:$/, ''), people: members });
  }
}

byId('act-as', HTMLSelectElement).addEventListener('change', () => {
  session.person = byId('act-as', HTMLSelectElement).value;
  threadTs = null;
  void refresh();
});
byId('new-message').addEventListener('click', () => void startDirectMessage());
byId('user-group').addEventListener('click', () => void setUserGroup());
byId('thread-close').addEventListener('click', closeThread);
byId('thread').addEventListener('keydown', ({ key }) => key === 'Escape' && closeThread());
byId('tab-home').addEventListener('click', () => void openApp('home'));
byId('tab-messages').addEventListener('click', () => void openApp('messages'));
document.addEventListener('visibilitychange', () => void refresh());

keepDatesTrue();
followChanges({
  onChange: () => void refresh(),
  onPanel: () => void panel.refresh(),
  onLost: () => showNotice(UNREACHABLE),
});
if (channel === 'app') {
  void openApp(tab === 'home' ? 'home' : 'messages');
}
