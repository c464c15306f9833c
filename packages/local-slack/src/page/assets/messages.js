import { renderAttachments, renderFiles, renderReactions } from './attachments.js';
import { renderBlock } from './blocks.js';
import { clockTime, dateOfTs, dayName } from './dates.js';
import { h } from './dom.js';
import { withEmoji } from './emoji.js';
import { createFields } from './fields.js';
import { createMenu } from './menu.js';
import { renderMrkdwn } from './mrkdwn.js';

/** What one can react with here; an app may use any. */
const REACTIONS = ['+1', 'eyes', 'white_check_mark', 'raised_hands', 'tada', 'heart', 'question', 'x'];

const GROUPED_MS = 5 * 60_000;

/**
 * Brings a list of messages up to date, touching only the ones that changed, so that focus and open menus stay.
 *
 * @param {HTMLElement} list
 * @param {object[]} items messages and ephemerals in order
 * @param {object} context `directory`, `act(message, block, element, chosen, values)`, `react(message, emoji, isOn)`,
 *   `openThread(ts)` or null, `repliesOf(ts)`,
 *   `menuItems(message)`, `firstNewTs`: above this message stands the line "New"; null for no line
 */
export function updateMessages(list, items, context) {
  const wanted = withSeparators(items, context);
  const current = new Map([...list.children].map((node) => [node.dataset.key, node]));
  const focused = document.activeElement?.closest?.('[data-action]')?.dataset.action;
  const focusedItem = list.contains(document.activeElement) ? document.activeElement.closest('li[data-item]') : null;

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
  if (focusedItem !== null && !focusedItem.isConnected) {
    const item = nodes.find((node) => node.dataset.item === focusedItem.dataset.item);
    const control = focused === undefined ? null : item?.querySelector(`[data-action="${CSS.escape(focused)}"]`);
    (control ?? item?.querySelector('article'))?.focus();
  }
}

/** Arrows go from message to message, T replies in a thread, R adds a reaction, M opens what else one can do. */
export function handleMessageKeys(scroller) {
  scroller.addEventListener('keydown', (event) => {
    const article = event.target.closest('article');
    if (event.target !== scroller && event.target !== article) {
      return;
    }
    const articles = [...scroller.querySelectorAll('article')];
    const at = article === null ? articles.length : articles.indexOf(article);
    const moves = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: articles.length - 1 };
    const clicks = { t: '[data-action^="reply/"]', r: '[data-action^="add/"]', m: '[data-action^="more/"]' };
    if (Object.hasOwn(moves, event.key)) {
      event.preventDefault();
      articles[Math.max(0, moves[event.key])]?.focus();
    } else if (Object.hasOwn(clicks, event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      article?.querySelector(clicks[event.key])?.click();
    }
  });
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
    if (item.ts === context.firstNewTs) {
      wanted.push({ key: `new ${item.ts}`, create: () => h('li', { class: 'new' }, h('span', {}, 'New')) });
      previous = null;
    }
    const isContinued = previous !== null && continues(previous, item);
    const replies = context.openThread === null ? [] : context.repliesOf(item.ts);
    const extras = JSON.stringify([item.reactions, item.files, item.pin]);
    const key = [item.kind, item.ts, item.revision, isContinued, replies.length, context.viewer, extras].join(' ');
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
  const authorId = `author-${item.ts}${context.openThread === null ? '-thread' : ''}`;
  const isPrivate = item.kind === 'ephemeral';
  const notes = [
    isPrivate && 'Only visible to you',
    item.pin && '📌 Pinned',
    item.isBroadcast && renderBroadcast(item, context),
  ].filter(Boolean);
  const classes = [
    'message',
    isPrivate && 'private',
    context.isContinued && 'continued',
    notes.length > 0 && 'noted',
    item.pin && 'pinned',
  ];
  return h(
    'li',
    { class: classes.filter(Boolean).join(' '), 'data-item': item.ts },
    h(
      'article',
      { 'aria-labelledby': authorId, tabindex: -1 },
      notes.length > 0 && h('p', { class: 'note' }, ...notes),
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
          isFromElsewhere(author, context) && h('span', { class: 'badge' }, 'ANOTHER WORKSPACE'),
          ' ',
          time,
        ),
        ...renderContent(item, context),
        renderReplies(item, context),
      ),
      renderToolbar(item, context),
    ),
  );
}

function isFromElsewhere(author, { directory }) {
  return author.teamId !== undefined && author.teamId !== directory.team.id;
}

function renderContent(item, context) {
  const fields = createFields();
  const blockContext = {
    noteField: fields.note,
    directory: context.directory,
    viewer: context.viewer,
    suggest: (block, element, typed) => context.suggest(item, block, element, typed),
    act: (block, element, chosen) => context.act(item, block, element, chosen, fields.values()),
  };
  const text =
    item.text === '' ? [] : [h('div', { class: 'block text' }, ...renderMrkdwn(item.text, context.directory))];
  const body = item.blocks.length > 0 ? item.blocks.map((block) => renderBlock(block, blockContext)) : text;
  if (item.isEdited) {
    const edited = h('span', { class: 'edited' }, ' (edited)');
    (body.at(-1) ?? body[body.push(h('div', { class: 'block' })) - 1]).append(edited);
  }
  return [
    ...body,
    ...renderAttachments(item.attachments ?? [], blockContext),
    ...renderFiles(item.files ?? []),
    renderReactions(item, { ...context, react: (emoji, isOn) => context.react(item, emoji, isOn) }),
  ];
}

/** A reply that is shown in the channel too. */
function renderBroadcast(item, context) {
  if (context.openThread === null) {
    return 'Also sent to the channel';
  }
  return h(
    'button',
    {
      type: 'button',
      class: 'link',
      'data-action': `thread/${item.ts}`,
      onclick: () => context.openThread(item.threadTs),
    },
    'Replied to a thread',
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
    h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        'aria-label': 'Reply in thread',
        title: 'Reply in thread (T)',
        'data-action': `reply/${item.ts}`,
        onclick: () => context.openThread(item.threadTs ?? item.ts),
      },
      '💬',
    );
  const react = createMenu({
    label: 'Add a reaction',
    text: '🙂',
    dataAction: `add/${item.ts}`,
    items: () =>
      REACTIONS.map((name) => ({
        text: withEmoji(`:${name}:`),
        description: name,
        run: () => context.react(item, name, true),
      })),
  });
  const hasMore = context.menuItems(item).length > 0;
  const more =
    hasMore &&
    createMenu({
      label: 'More',
      text: '⋮',
      dataAction: `more/${item.ts}`,
      items: () => context.menuItems(item),
    });
  return h('div', { class: 'toolbar' }, react, reply, more);
}

function authorOf(item, directory) {
  if (item.kind === 'ephemeral' && item.from === 'slackbot') {
    return { id: 'slackbot', realName: 'Slackbot', isBot: true, isGuest: false };
  }
  const id = item.kind === 'ephemeral' ? directory.appUserId : item.user;
  const unknown = { id, realName: id, isBot: false, isGuest: false };
  return directory.people.find((person) => person.id === id) ?? unknown;
}

function renderAvatar(person) {
  const initials = person.realName
    .split(' ')
    .map((word) => word[0])
    .slice(0, 2)
    .join('');
  const hue = [...person.id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 6, 7);
  return h('span', { class: `avatar hue-${person.isBot ? 'app' : hue}`, 'aria-hidden': 'true' }, initials);
}
