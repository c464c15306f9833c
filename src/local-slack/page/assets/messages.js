import { renderBlock } from './blocks.js';
import { clockTime, dateOfTs, dayName } from './dates.js';
import { h } from './dom.js';
import { renderMrkdwn } from './mrkdwn.js';

const GROUPED_MS = 5 * 60_000;

/**
 * Brings a list of messages up to date, touching only the ones that changed, so that focus and open menus stay.
 *
 * @param {HTMLElement} list
 * @param {object[]} items messages and ephemerals in order
 * @param {object} context `directory`, `act(message, block, element, chosen)`, `openThread(ts)` or null, `repliesOf(ts)`
 */
export function updateMessages(list, items, context) {
  const wanted = withSeparators(items, context);
  const current = new Map([...list.children].map((node) => [node.dataset.key, node]));
  const focused = document.activeElement?.closest?.('[data-action]')?.dataset.action;
  const focusedItem = document.activeElement?.closest?.('li')?.dataset.item;

  const nodes = wanted.map(({ key, create }) => {
    const known = current.get(key);
    if (known !== undefined) {
      return known;
    }
    const node = create();
    node.dataset.key = key;
    return node;
  });
  const kept = new Set(nodes);
  for (const node of list.querySelectorAll(':scope > li')) {
    if (!kept.has(node)) {
      node.remove();
    }
  }
  nodes.forEach((node, index) => {
    if (list.children[index] !== node) {
      list.insertBefore(node, list.children[index] ?? null);
    }
  });
  if (focused !== undefined && !document.activeElement?.closest?.('[data-action]')) {
    const item = nodes.find((node) => node.dataset.item === focusedItem);
    item?.querySelector(`[data-action="${CSS.escape(focused)}"]`)?.focus();
  }
}

function withSeparators(items, context) {
  const wanted = [];
  let day = null;
  let previous = null;
  for (const item of items) {
    const date = dateOfTs(item.ts);
    const today = dayName(date);
    if (today !== day) {
      wanted.push({ key: `day ${today}`, create: () => h('li', { class: 'day' }, h('span', {}, today)) });
      previous = null;
      day = today;
    }
    const isContinued = previous !== null && continues(previous, item);
    const replies = context.openThread === null ? [] : context.repliesOf(item.ts);
    const key = [item.kind, item.ts, item.revision, isContinued, replies.length, context.viewer].join(' ');
    wanted.push({ key, create: () => renderMessage(item, { ...context, isContinued, replies }) });
    previous = item;
  }
  return wanted;
}

function continues(previous, item) {
  const isNear = dateOfTs(item.ts) - dateOfTs(previous.ts) < GROUPED_MS;
  return isNear && previous.kind === 'message' && item.kind === 'message' && previous.user === item.user;
}

function renderMessage(item, context) {
  const author = authorOf(item, context.directory);
  const date = dateOfTs(item.ts);
  const time = h('time', { class: 'at', datetime: date.toISOString(), title: date.toLocaleString() }, clockTime(date));
  const authorId = `author-${item.ts}`;
  const isPrivate = item.kind === 'ephemeral';
  const blockContext = {
    directory: context.directory,
    act: (block, element, chosen) => context.act(item, block, element, chosen),
  };
  const body =
    item.blocks.length > 0
      ? item.blocks.map((block) => renderBlock(block, blockContext))
      : [h('div', { class: 'block text' }, ...renderMrkdwn(item.text, context.directory))];
  if (item.isEdited) {
    body.at(-1).append(h('span', { class: 'edited' }, ' (edited)'));
  }
  return h(
    'li',
    { class: `message${isPrivate ? ' private' : ''}${context.isContinued ? ' continued' : ''}`, 'data-item': item.ts },
    h(
      'article',
      { 'aria-labelledby': authorId },
      isPrivate && h('p', { class: 'only-you' }, 'Only visible to you'),
      renderAvatar(author),
      h(
        'div',
        { class: 'message-body' },
        h(
          'p',
          { class: 'byline', id: authorId },
          h('strong', {}, author.realName),
          author.isBot && h('span', { class: 'badge' }, 'APP'),
          author.isGuest && h('span', { class: 'badge' }, 'GUEST'),
          ' ',
          time,
        ),
        ...body,
        renderReplies(item, context),
      ),
      renderToolbar(item, context),
    ),
  );
}

function renderReplies(item, context) {
  const { replies, directory } = context;
  if (replies.length === 0) {
    return null;
  }
  const faces = [...new Set(replies.map((reply) => reply.user))].slice(0, 3);
  return h(
    'button',
    {
      type: 'button',
      class: 'replies',
      'data-action': `replies/${item.ts}`,
      onclick: () => context.openThread(item.ts),
    },
    ...faces.map((user) => renderAvatar(authorOf({ kind: 'message', user }, directory))),
    h('span', {}, replies.length === 1 ? '1 reply' : `${replies.length} replies`),
    h('small', {}, `last at ${clockTime(dateOfTs(replies.at(-1).ts))}`),
  );
}

function renderToolbar(item, context) {
  if (item.kind === 'ephemeral') {
    return null;
  }
  const reply =
    context.openThread &&
    h('button', { type: 'button', onclick: () => context.openThread(item.ts) }, 'Reply in thread');
  const shortcuts = context.shortcuts.map((shortcut) =>
    h('button', { type: 'button', onclick: () => context.runShortcut(shortcut, item) }, shortcut.name),
  );
  return reply || shortcuts.length > 0 ? h('div', { class: 'toolbar' }, reply, ...shortcuts) : null;
}

function authorOf(item, directory) {
  if (item.kind === 'ephemeral' && item.from === 'slackbot') {
    return { id: 'slackbot', realName: 'Slackbot', isBot: true, isGuest: false };
  }
  const id = item.kind === 'ephemeral' ? directory.appUserId : item.user;
  const unknown = { id, realName: id, isBot: false, isGuest: false };
  return directory.people.find((person) => person.id === id) ?? unknown;
}

export function renderAvatar(person) {
  const initials = person.realName
    .split(' ')
    .map((word) => word[0])
    .slice(0, 2)
    .join('');
  const hue = [...person.id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 6, 7);
  return h('span', { class: `avatar hue-${person.isBot ? 'app' : hue}`, 'aria-hidden': 'true' }, initials);
}
