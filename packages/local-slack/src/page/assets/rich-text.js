import { fillDateTokens } from './dates.js';
import { h, link } from './dom.js';
import { withEmoji } from './emoji.js';
import { renderChannel, renderPerson } from './mrkdwn.js';

/** Renders the elements of a rich_text block. */
export function renderRichText(block, directory) {
  return block.elements.map((element) => renderPart(element, directory));
}

function renderPart(part, directory) {
  const inside = () => part.elements.map((element) => renderInlineElement(element, directory));
  switch (part.type) {
    case 'rich_text_section':
      return h('p', { class: 'rich' }, ...inside());
    case 'rich_text_quote':
      return h('blockquote', {}, ...inside());
    case 'rich_text_preformatted':
      return h('pre', {}, h('code', {}, ...inside()));
    case 'rich_text_list': {
      const tag = part.style === 'ordered' ? 'ol' : 'ul';
      const bordered = part.border ? ' bordered' : '';
      const items = part.elements.map((item) =>
        h('li', {}, ...item.elements.map((element) => renderInlineElement(element, directory))),
      );
      return h(
        tag,
        {
          class: `rich indent-${Math.min(part.indent ?? 0, 4)}${bordered}`,
          start: part.offset ? part.offset + 1 : null,
        },
        ...items,
      );
    }
    default:
      return h('span', { class: 'unknown' }, `[${part.type}]`);
  }
}

function renderInlineElement(element, directory) {
  const node = renderBare(element, directory);
  const { bold, italic, strike, code, underline, highlight } = element.style ?? {};
  const tags = [
    highlight && 'mark',
    code && 'code',
    bold && 'strong',
    italic && 'em',
    strike && 's',
    underline && 'u',
  ].filter(Boolean);
  return tags.reduce((inner, tag) => h(tag, {}, inner), node);
}

function renderBare(element, directory) {
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
      return h('span', { class: 'mention' }, `@${element.usergroup_id}`);
    case 'team':
      return h('span', { class: 'mention' }, element.team_id);
    case 'broadcast':
      return h('span', { class: 'mention' }, `@${element.range}`);
    case 'date':
      return renderDate(element);
    case 'color':
      return renderColor(element.value);
    default:
      return h('span', { class: 'unknown' }, `[${element.type}]`);
  }
}

function renderDate({ timestamp, format, url, fallback }) {
  const date = new Date(timestamp * 1000);
  if (Number.isNaN(date.getTime())) {
    return document.createTextNode(fallback ?? '');
  }
  const time = h('time', { datetime: date.toISOString(), title: date.toString() }, fillDateTokens(format, date));
  return url === undefined ? time : link(url, time);
}

function renderColor(value) {
  const swatch = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  swatch.style.background = /^#[0-9a-f]{3,8}$/i.test(value) ? value : '';
  return h('code', {}, swatch, value);
}
