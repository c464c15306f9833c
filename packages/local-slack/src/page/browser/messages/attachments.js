import { h, link, safeUrl } from '../base/dom.js';
import { renderBlock } from '../blocks/blocks.js';
import { withEmoji } from '../text/emoji.js';
import { renderMrkdwn } from '../text/mrkdwn.js';

/** @import { Message, SharedFile } from '../../../workspace/model.ts' */
/** @import { Attachment, BlockContext, Directory } from '../types.ts' */

/** @type {readonly (keyof Attachment)[]} */
const CONTENT = ['blocks', 'title', 'text', 'pretext', 'fields', 'image_url', 'author_name'];

/** @type {Readonly<Record<string, string>>} */
const NAMED_COLORS = { good: '#2f8f5b', warning: '#d9a21b', danger: '#b7263f' };

/** Attachments of apps and unfurled links. @param {readonly Attachment[]} attachments @param {BlockContext} context */
export function renderAttachments(attachments, context) {
  return attachments.map((attachment) => renderAttachment(attachment, context));
}

/** @param {Attachment} attachment @param {BlockContext} context */
function renderAttachment(attachment, context) {
  /** @param {string | undefined} value */
  const text = (value) => (value ? [h('div', { class: 'text' }, ...renderMrkdwn(value, context.directory))] : []);
  const { fields = [] } = attachment;
  const body = h(
    'div',
    { class: 'attachment' },
    attachment.service_name && h('p', { class: 'attachment-small' }, attachment.service_name),
    attachment.author_name &&
      h('p', { class: 'attachment-small' }, link(attachment.author_link, attachment.author_name)),
    attachment.title && h('p', { class: 'attachment-title' }, link(attachment.title_link, withEmoji(attachment.title))),
    ...text(attachment.text),
    ...(attachment.blocks ?? []).map((block) => renderBlock(block, context)),
    fields.length > 0 && h('dl', { class: 'attachment-fields' }, ...fields.map(renderField)),
    renderPicture(attachment.image_url ?? attachment.thumb_url, attachment.fallback ?? ''),
    attachment.footer && h('p', { class: 'attachment-small' }, attachment.footer),
    CONTENT.every((name) => attachment[name] === undefined) && attachment.fallback,
  );
  const color = colorOf(attachment.color ?? '');
  if (color !== undefined) {
    body.style.setProperty('--bar', color);
  }
  return h('div', { class: 'block' }, ...text(attachment.pretext), body);
}

/** @param {string} color */
function colorOf(color) {
  return /^#?[0-9a-f]{6}$/i.test(color) ? color.replace(/^#?/, '#') : NAMED_COLORS[color];
}

/** @param {{ title?: string, value?: string }} field */
function renderField({ title, value }) {
  return h('div', {}, h('dt', {}, title ?? ''), h('dd', {}, value ?? ''));
}

/** @param {string | undefined} url @param {string} alt */
function renderPicture(url, alt) {
  const src = safeUrl(url);
  return src && link(src, h('img', { class: 'block-image', src, alt, loading: 'lazy' }));
}

/** Uploaded files. Images are shown, other files are named. @param {readonly SharedFile[]} files */
export function renderFiles(files) {
  return files.map((file) => {
    const name = file.title || file.name;
    if (file.isDeleted) {
      return h('p', { class: 'block soft' }, `${name} was deleted.`);
    }
    const isImage = file.contentType.startsWith('image/');
    return h(
      'div',
      { class: 'block file' },
      h(
        'p',
        { class: 'file-name' },
        isImage ? '' : '📄 ',
        h('a', { href: file.path, target: '_blank', rel: 'noreferrer noopener' }, name),
        h('small', {}, ` ${formatSize(file.size)}`),
      ),
      isImage && h('img', { class: 'block-image', src: file.path, alt: file.altText ?? name, loading: 'lazy' }),
    );
  });
}

/** @param {number} bytes */
function formatSize(bytes) {
  if (bytes < 1e3) {
    return `${bytes} bytes`;
  }
  const [size, unit] = bytes >= 1e6 ? [bytes / 1e6, 'MB'] : [bytes / 1e3, 'kB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/**
 * Each emoji with its number of users. A click adds or removes the viewer's own reaction.
 *
 * @param {Message} message
 * @param {{ directory: Directory, viewer: string, react: (emoji: string, isOn: boolean) => void }} context
 */
export function renderReactions({ ts, reactions }, { directory, viewer, react }) {
  if (reactions.length === 0) {
    return null;
  }
  /** @param {string} id */
  const nameOf = (id) => directory.people.find((person) => person.id === id)?.realName ?? id;
  return h(
    'ul',
    { class: 'reactions', 'aria-label': 'Reactions' },
    ...reactions.map(({ name, users }) => {
      const isMine = users.includes(viewer);
      const people = users.map(nameOf).join(', ');
      return h(
        'li',
        {},
        h(
          'button',
          {
            type: 'button',
            class: 'reaction',
            title: people,
            'aria-pressed': String(isMine),
            'aria-label': `${name}, ${users.length}: ${people}`,
            'data-action': `react/${ts}/${name}`,
            onclick: () => react(name, !isMine),
          },
          withEmoji(`:${name}:`),
          ` ${users.length}`,
        ),
      );
    }),
  );
}
