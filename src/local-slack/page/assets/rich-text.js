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
      const items = part.elements.map((item) =>
        h('li', {}, ...item.elements.map((element) => renderInlineElement(element, directory))),
      );
      return h(tag, { class: `rich indent-${Math.min(part.indent ?? 0, 4)}` }, ...items);
    }
    default:
      return h('span', { class: 'unknown' }, `[${part.type}]`);
  }
}

function renderInlineElement(element, directory) {
  const node = renderBare(element, directory);
  const { bold, italic, strike, code, underline } = element.style ?? {};
  const tags = [code && 'code', bold && 'strong', italic && 'em', strike && 's', underline && 'u'].filter(Boolean);
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
    case 'broadcast':
      return h('span', { class: 'mention' }, `@${element.range}`);
    case 'date':
      return h('time', {}, fillDateTokens(element.format, new Date(element.timestamp * 1000)));
    case 'color':
      return h('code', {}, element.value);
    default:
      return h('span', { class: 'unknown' }, `[${element.type}]`);
  }
}
