import { renderBlock } from './blocks.js';
import { h, link, safeUrl } from './dom.js';
import { withEmoji } from './emoji.js';
import { renderMrkdwn } from './mrkdwn.js';

/** What hangs below a message: attachments as apps send them, and unfurled links. */
export function renderAttachments(attachments, context) {
  return attachments.map((attachment) => {
    const { directory } = context;
    const text = (value) => (value ? [h('div', { class: 'text' }, ...renderMrkdwn(value, directory))] : []);
    const hasContent = ['blocks', 'title', 'text', 'pretext', 'fields', 'image_url', 'author_name'].some(
      (name) => attachment[name] !== undefined,
    );
    const body = h(
      'div',
      { class: 'attachment' },
      attachment.service_name && h('p', { class: 'attachment-small' }, attachment.service_name),
      attachment.author_name &&
        h('p', { class: 'attachment-small' }, link(attachment.author_link, attachment.author_name)),
      attachment.title &&
        h('p', { class: 'attachment-title' }, link(attachment.title_link, withEmoji(attachment.title))),
      ...text(attachment.text),
      ...(attachment.blocks ?? []).map((block) => renderBlock(block, context)),
      (attachment.fields ?? []).length > 0 &&
        h('dl', { class: 'attachment-fields' }, ...attachment.fields.map(renderField)),
      picture(attachment.image_url ?? attachment.thumb_url, attachment.fallback ?? ''),
      attachment.footer && h('p', { class: 'attachment-small' }, attachment.footer),
      !hasContent && attachment.fallback,
    );
    const color = /^#?[0-9a-f]{6}$/i.test(attachment.color ?? '')
      ? attachment.color.replace(/^#?/, '#')
      : NAMED[attachment.color];
    if (color !== undefined) {
      body.style.setProperty('--bar', color);
    }
    return h('div', { class: 'block' }, ...text(attachment.pretext), body);
  });
}

const NAMED = { good: '#2f8f5b', warning: '#d9a21b', danger: '#b7263f' };

function renderField({ title, value }) {
  return h('div', {}, h('dt', {}, title ?? ''), h('dd', {}, value ?? ''));
}

function picture(url, alt) {
  const src = safeUrl(url);
  return src && link(src, h('img', { class: 'block-image', src, alt, loading: 'lazy' }));
}

/**
 * Uploaded files: pictures shown, others named.
 *
 * @param {readonly { name: string, title: string, altText: string | null, contentType: string, size: number, path: string, isDeleted: boolean }[]} files
 */
export function renderFiles(files) {
  return files.map((file) => {
    const name = file.title || file.name;
    if (file.isDeleted) {
      return h('p', { class: 'block soft' }, `${name} was deleted.`);
    }
    const isPicture = file.contentType.startsWith('image/');
    return h(
      'div',
      { class: 'block file' },
      h(
        'p',
        { class: 'file-name' },
        isPicture ? '' : '📄 ',
        h('a', { href: file.path, target: '_blank', rel: 'noreferrer noopener' }, name),
        h('small', {}, ` ${sizeInWords(file.size)}`),
      ),
      isPicture && h('img', { class: 'block-image', src: file.path, alt: file.altText ?? name, loading: 'lazy' }),
    );
  });
}

function sizeInWords(bytes) {
  const [unit, size] = bytes >= 1e6 ? ['MB', bytes / 1e6] : bytes >= 1e3 ? ['kB', bytes / 1e3] : ['bytes', bytes];
  return `${size < 10 && unit !== 'bytes' ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/**
 * Each emoji with how many chose it; a click adds the viewer's own, or takes it away.
 *
 * @param {readonly { name: string, users: readonly string[] }[]} reactions
 */
export function renderReactions({ ts, reactions = [] }, { directory, viewer, react }) {
  if (reactions.length === 0) {
    return null;
  }
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
