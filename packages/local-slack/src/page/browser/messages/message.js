import { h } from '../base/dom.js';
import { createMenu } from '../base/menu.js';
import { renderBlock } from '../blocks/blocks.js';
import { createFieldSet } from '../inputs/field-set.js';
import { clockTime, dateOfTs } from '../text/dates.js';
import { withEmoji } from '../text/emoji.js';
import { renderMrkdwn } from '../text/mrkdwn.js';
import { renderAttachments, renderFiles, renderReactions } from './attachments.js';

/** @import { Message, Person } from '../../../workspace/model.ts' */
/** @import { AnyBlock, Attachment, BlockContext, Directory, Item, MessageContext } from '../types.ts' */

/** Reactions that the menu offers. */
const REACTIONS = ['+1', 'eyes', 'white_check_mark', 'raised_hands', 'tada', 'heart', 'question', 'x'];

/**
 * @param {Item} item
 * @param {MessageContext} context
 * @param {boolean} isContinued without author, because the message above has the same one
 */
export function renderMessage(item, context, isContinued) {
  const author = authorOf(item, context.directory);
  const date = dateOfTs(item.ts);
  const time = h('time', { class: 'at', datetime: date.toISOString(), title: date.toLocaleString() }, clockTime(date));
  const authorId = `author-${item.ts}${context.openThread === null ? '-thread' : ''}`;
  const notes = renderNotes(item, context);
  const classes = [
    'message',
    item.kind === 'ephemeral' && 'private',
    isContinued && 'continued',
    notes.length > 0 && 'noted',
    item.kind === 'message' && item.pin && 'pinned',
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
          author.teamId !== context.directory.team.id && h('span', { class: 'badge' }, 'ANOTHER WORKSPACE'),
          ' ',
          time,
        ),
        ...renderContent(item, context),
        item.kind === 'message' && renderReplies(item, context),
      ),
      item.kind === 'message' && renderToolbar(item, context),
    ),
  );
}

/** @param {Item} item @param {MessageContext} context @returns {(Node | string)[]} */
function renderNotes(item, context) {
  if (item.kind === 'ephemeral') {
    return ['Only visible to you'];
  }
  return [
    ...(item.pin === null ? [] : ['📌 Pinned']),
    ...(item.isBroadcast ? [renderBroadcastNote(item, context)] : []),
  ];
}

/** @param {Message} message @param {MessageContext} context */
function renderBroadcastNote({ ts, threadTs }, { openThread }) {
  if (openThread === null) {
    return 'Also sent to the channel';
  }
  const attributes = { type: 'button', class: 'link', 'data-action': `thread/${ts}` };
  return h('button', { ...attributes, onclick: () => openThread(threadTs ?? ts) }, 'Replied to a thread');
}

/** @param {Item} item @param {MessageContext} context */
function renderContent(item, context) {
  const fields = createFieldSet();
  /** @type {BlockContext} */
  const blockContext = {
    place: item.ts,
    noteField: fields.note,
    directory: context.directory,
    viewer: context.viewer,
    suggest: (block, element, typed) => context.suggest(item, block, element, typed),
    act: (block, element, chosen) => context.act(item, block, element, chosen, fields.values()),
  };
  const blocks = /** @type {readonly AnyBlock[]} */ (/** @type {unknown} */ (item.blocks)); // validated by the server
  const text =
    item.text === '' ? [] : [h('div', { class: 'block text' }, ...renderMrkdwn(item.text, context.directory))];
  /** @type {HTMLElement[]} */
  const body = blocks.length > 0 ? blocks.map((block) => renderBlock(block, blockContext)) : text;
  if (item.kind === 'ephemeral') {
    return body;
  }
  if (item.isEdited) {
    const last = body.pop() ?? h('div', { class: 'block' });
    last.append(h('span', { class: 'edited' }, ' (edited)'));
    body.push(last);
  }
  return [
    ...body,
    ...renderAttachments(/** @type {readonly Attachment[]} */ (item.attachments), blockContext),
    ...renderFiles(item.files),
    renderReactions(item, { ...context, react: (emoji, isOn) => context.react(item, emoji, isOn) }),
  ];
}

/** @param {Message} message @param {MessageContext} context */
function renderReplies({ ts }, { openThread, repliesOf, directory }) {
  const replies = openThread === null ? [] : repliesOf(ts);
  const last = replies.at(-1);
  if (openThread === null || last === undefined) {
    return null;
  }
  const users = [...new Set(replies.map((reply) => reply.user))].slice(0, 3);
  return h(
    'button',
    { type: 'button', class: 'replies', 'data-action': `replies/${ts}`, onclick: () => openThread(ts) },
    ...users.map((user) => renderAvatar(personOf(user, directory))),
    h('span', {}, replies.length === 1 ? '1 reply' : `${replies.length} replies`),
    h('small', {}, `last at ${clockTime(dateOfTs(last.ts))}`),
  );
}

/** @param {Message} message @param {MessageContext} context */
function renderToolbar(message, context) {
  const { openThread } = context;
  const { ts } = message;
  const reply =
    openThread &&
    h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        'aria-label': 'Reply in thread',
        title: 'Reply in thread (T)',
        'data-action': `reply/${ts}`,
        onclick: () => openThread(message.threadTs ?? ts),
      },
      '💬',
    );
  const react = createMenu({
    label: 'Add a reaction',
    text: '🙂',
    dataAction: `add/${ts}`,
    items: () =>
      REACTIONS.map((name) => ({
        text: withEmoji(`:${name}:`),
        description: name,
        run: () => context.react(message, name, true),
      })),
  });
  const more =
    context.menuItems(message).length > 0 &&
    createMenu({ label: 'More', text: '⋮', dataAction: `more/${ts}`, items: () => context.menuItems(message) }).node;
  return h('div', { class: 'toolbar' }, react.node, reply, more);
}

/** @typedef {Pick<Person, 'id' | 'realName' | 'isBot' | 'isGuest' | 'teamId'>} Author */

/** @param {Item} item @param {Directory} directory @returns {Author} */
function authorOf(item, directory) {
  if (item.kind === 'message') {
    return personOf(item.user, directory);
  }
  return item.from === 'slackbot'
    ? { id: 'slackbot', realName: 'Slackbot', isBot: true, isGuest: false, teamId: directory.team.id }
    : personOf(directory.appUserId, directory);
}

/** @param {string} id @param {Directory} directory @returns {Author} */
function personOf(id, { people, team }) {
  const unknown = { id, realName: id, isBot: false, isGuest: false, teamId: team.id };
  return people.find((person) => person.id === id) ?? unknown;
}

/** @param {Author} author */
function renderAvatar(author) {
  const initials = author.realName
    .split(' ')
    .map((word) => word[0])
    .slice(0, 2)
    .join('');
  const hue = author.id.split('').reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 6, 7);
  return h('span', { class: `avatar hue-${author.isBot ? 'app' : hue}`, 'aria-hidden': 'true' }, initials);
}
