import { h, link } from '../base/dom.js';
import { renderTime } from './dates.js';
import { withEmoji } from './emoji.js';
import { renderChannel, renderPerson, renderUserGroup } from './mrkdwn.js';

/** @import { Directory } from '../types.ts' */
/** @import { RichTextBlock, RichTextBlockElement, RichTextElement } from '@slack/types' */

/** @param {Pick<RichTextBlock, 'elements'>} block @param {Directory} directory @returns {Node[]} */
export function renderRichText(block, directory) {
  return block.elements.map((element) => renderPart(element, directory));
}

/** @param {RichTextBlockElement} part @param {Directory} directory @returns {Node} */
function renderPart(part, directory) {
  switch (part.type) {
    case 'rich_text_section':
      return h('p', { class: 'rich' }, ...renderInline(part.elements, directory));
    case 'rich_text_quote':
      return h('blockquote', {}, ...renderInline(part.elements, directory));
    case 'rich_text_preformatted':
      return h('pre', {}, h('code', {}, ...renderInline(part.elements, directory)));
    case 'rich_text_list': {
      const { offset } = /** @type {{ offset?: number }} */ (part); // missing in @slack/types
      return h(
        part.style === 'ordered' ? 'ol' : 'ul',
        {
          class: `rich indent-${Math.min(part.indent ?? 0, 4)}${part.border ? ' bordered' : ''}`,
          start: offset ? offset + 1 : null,
        },
        ...part.elements.map((item) => h('li', {}, ...renderInline(item.elements, directory))),
      );
    }
    default:
      return renderUnknown(part);
  }
}

/** @param {readonly RichTextElement[]} elements @param {Directory} directory @returns {Node[]} */
function renderInline(elements, directory) {
  return elements.map((element) => {
    const { bold, italic, strike, code, underline, highlight } = /** @type {Record<string, boolean>} */ (
      element.style ?? {}
    );
    /** @type {(keyof HTMLElementTagNameMap | false | undefined)[]} */
    const tags = [
      highlight && 'mark',
      code && 'code',
      bold && 'strong',
      italic && 'em',
      strike && 's',
      underline && 'u',
    ];
    return tags
      .filter((tag) => tag !== undefined && tag !== false)
      .reduce((/** @type {Node} */ inner, tag) => h(tag, {}, inner), renderUnstyled(element, directory));
  });
}

/** @param {RichTextElement} element @param {Directory} directory @returns {Node} */
function renderUnstyled(element, directory) {
  switch (element.type) {
    case 'text':
      return h('span', { class: 'prewrap' }, element.text);
    case 'link':
      return link(element.url, element.text ?? element.url);
    case 'user':
      return renderPerson(element.user_id, directory);
    case 'channel':
      return renderChannel(element.channel_id, directory);
    case 'emoji':
      return document.createTextNode(withEmoji(`:${element.name}:`));
    case 'usergroup':
      return renderUserGroup(element.usergroup_id, directory);
    case 'team':
      return h('span', { class: 'mention' }, element.team_id);
    case 'broadcast':
      return h('span', { class: 'mention' }, `@${element.range}`);
    case 'date':
      return renderDate(element);
    case 'color':
      return renderColor(element.value);
    default:
      return renderUnknown(element);
  }
}

/** @param {{ type: string }} element */
function renderUnknown({ type }) {
  return h('span', { class: 'unknown' }, `[${type}]`);
}

/** @param {import('@slack/types').RichTextDate} element @returns {Node} */
function renderDate({ timestamp, format, url, fallback }) {
  const date = new Date(timestamp * 1000);
  if (Number.isNaN(date.getTime())) {
    return document.createTextNode(fallback ?? '');
  }
  const time = renderTime(format, date);
  return url === undefined ? time : link(url, time);
}

/** @param {string} value */
function renderColor(value) {
  const swatch = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  swatch.style.background = /^#[0-9a-f]{3,8}$/i.test(value) ? value : '';
  return h('code', {}, swatch, value);
}
