import { h, link } from '../base/dom.js';
import { createMenu } from '../base/menu.js';
import { renderBlock } from '../blocks/blocks.js';
import { postedAt } from '../text/dates.js';
import { renderMrkdwn } from '../text/mrkdwn.js';

/** @import { Message, SharedFile } from '../../../workspace/model.ts' */
/** @import { AnyBlock, Attachment, BlockContext, Directory, Item, MessageContext } from '../types.ts' */

/** @param {Item} item @param {MessageContext} context */
export function renderMessage(item, context) {
  const prefix = `${item.ts}${context.openThread === null ? '-thread' : ''}`;
  const author = authorOf(item, context.directory);
  const date = new Date(Math.floor(Number(item.ts)) * 1000);
  const badges = [
    author.isBot && 'APP',
    author.isGuest && 'GUEST',
    author.teamId !== context.directory.team.id && 'ANOTHER WORKSPACE',
  ].filter((badge) => badge !== false);
  const isPinned = item.kind === 'message' && item.pin !== null;
  const notes = [item.kind === 'ephemeral' && 'Only visible to you', isPinned && '📌 Pinned'];
  return h(
    'article',
    {
      class: `${item.kind === 'ephemeral' ? 'private' : ''} ${isPinned ? 'pinned' : ''}`,
      'aria-labelledby': `author-${prefix}`,
      tabindex: -1,
      'data-place': true,
    },
    h('p', { class: 'soft' }, ...notes, broadcastNote(item, context)),
    h('span', { class: author.isBot ? 'avatar app' : 'avatar', 'aria-hidden': 'true' }, initials(author.realName)),
    h(
      'div',
      { class: 'message-body' },
      h(
        'p',
        { id: `author-${prefix}` },
        h('strong', {}, author.realName),
        ...badges.map((badge) => h('span', { class: 'badge' }, badge)),
        ' ',
        h('time', { class: 'soft', datetime: date.toISOString(), title: date.toLocaleString() }, postedAt(date)),
      ),
      ...renderContent(item, { place: placeOf(item), prefix, directory: context.directory }),
      item.kind === 'message' && renderReplies(item, context),
    ),
    item.kind === 'message' && renderToolbar(item, context),
  );
}

/** @param {Item} item @returns {BlockContext['place']} */
export function placeOf({ kind, channel, ts }) {
  return { kind, channel, ts };
}

/** @param {Item} item @param {MessageContext} context */
function broadcastNote(item, { openThread }) {
  if (item.kind === 'ephemeral' || !item.isBroadcast) {
    return null;
  }
  const onclick = () => openThread?.(item.threadTs ?? item.ts);
  return openThread === null
    ? 'Also sent to the channel'
    : h('button', { type: 'button', class: 'link', onclick }, 'Replied to a thread');
}

/** @param {Item} item @param {BlockContext} context @returns {(Node | null)[]} */
function renderContent(item, context) {
  const blocks = /** @type {readonly AnyBlock[]} */ (/** @type {unknown} */ (item.blocks)); // validated by the server
  const hasText = item.text !== '' && blocks.length === 0;
  const body = [
    ...blocks.map((block) => renderBlock(block, context)),
    hasText ? h('div', { class: 'block text' }, ...renderMrkdwn(item.text, context.directory)) : null,
  ];
  if (item.kind === 'ephemeral') {
    return body;
  }
  return [
    ...body,
    item.isEdited ? h('span', { class: 'soft' }, '(edited)') : null,
    ...item.attachments.map((attachment) => renderAttachment(/** @type {Attachment} */ (attachment), context)),
    ...item.files.map(renderFile),
  ];
}

/** An unfurled link, or an attachment of an app. @param {Attachment} attachment @param {BlockContext} context */
function renderAttachment({ title, title_link: url, text, fallback, blocks = [], color = '' }, context) {
  const isEmpty = title === undefined && text === undefined && blocks.length === 0;
  const node = h(
    'div',
    { class: 'block attachment' },
    title && h('p', {}, h('strong', {}, link(url, title))),
    text && h('div', { class: 'text' }, ...renderMrkdwn(text, context.directory)),
    ...blocks.map((block) => renderBlock(block, context)),
    isEmpty && fallback,
  );
  node.style.borderColor = /^#?[0-9a-f]{6}$/i.test(color) ? color.replace(/^#?/, '#') : '';
  return node;
}

/** @param {SharedFile} file */
function renderFile({ title, name, path, size, contentType, altText }) {
  const words = `${title || name} (${Math.ceil(size / 1000)} kB)`;
  return h(
    'p',
    { class: 'block' },
    h('a', { href: path, target: '_blank', rel: 'noreferrer noopener' }, `📄 ${words}`),
    contentType.startsWith('image/') && h('img', { src: path, alt: altText ?? name, loading: 'lazy' }),
  );
}

/** @param {Message} message @param {MessageContext} context */
function renderReplies({ ts }, { openThread, repliesOf }) {
  const replies = openThread === null ? [] : repliesOf(ts);
  const last = replies.at(-1);
  if (openThread === null || last === undefined) {
    return null;
  }
  return h(
    'button',
    { type: 'button', class: 'link replies', onclick: () => openThread(ts) },
    `💬 ${replies.length === 1 ? '1 reply' : `${replies.length} replies`}`,
    h('small', { class: 'soft' }, ` last at ${postedAt(new Date(Number(last.ts) * 1000))}`),
  );
}

/** @param {Message} message @param {MessageContext} context */
function renderToolbar(message, { openThread, menuItems }) {
  const onclick = () => openThread?.(message.threadTs ?? message.ts);
  const attributes = {
    type: 'button',
    class: 'icon-button',
    'aria-label': 'Reply in thread',
    title: 'Reply in thread',
  };
  return h(
    'div',
    { class: 'toolbar' },
    openThread && h('button', { ...attributes, onclick }, '💬'),
    createMenu({ label: 'More', text: '⋮', items: () => menuItems(message) }),
  );
}

/** @param {Item} item @param {Directory} directory */
function authorOf(item, { people, appUserId, team }) {
  const id = item.kind === 'message' ? item.user : { app: appUserId, slackbot: 'Slackbot' }[item.from];
  const unknown = { realName: id, isBot: id === 'Slackbot', isGuest: false, teamId: team.id };
  const author = people.find((person) => person.id === id) ?? unknown;
  return item.kind === 'message' && item.tool !== null ? { ...author, realName: item.tool.name } : author;
}

/** @param {string} name */
function initials(name) {
  return name
    .split(' ', 2)
    .map((word) => word[0])
    .join('');
}
