import { fillDateTokens } from './dates.js';
import { h, link } from './dom.js';
import { withEmoji } from './emoji.js';

/**
 * Renders Slack's mrkdwn to nodes.
 *
 * @param {string} text as an app sent it: & < > escaped, references in <…>
 * @param {{ people: readonly { id: string, name: string, realName: string }[], channels: readonly { id: string, name: string }[] }} directory
 * @returns {Node[]}
 */
export function renderMrkdwn(text, directory) {
  const parts = text.split('```');
  if (parts.length % 2 === 0) {
    parts.push(parts.splice(-2).join('```')); // a fence that is never closed is text
  }
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) {
      return [h('pre', {}, h('code', {}, decode(part.replace(/^\n/, '').replace(/\n$/, ''))))];
    }
    return renderLines(part, directory);
  });
}

/** A text object of either kind. */
export function renderText(text, directory) {
  return text.type === 'mrkdwn'
    ? renderMrkdwn(text.text, directory)
    : [h('span', { class: 'prewrap' }, renderPlain(text.text))];
}

/** A plain_text object: emoji names and nothing else. */
export function renderPlain(text) {
  return document.createTextNode(withEmoji(text));
}

function renderLines(text, directory) {
  const nodes = [];
  let quote = [];
  const closeQuote = () => {
    if (quote.length > 0) {
      nodes.push(h('blockquote', {}, ...withBreaks(quote, directory)));
      quote = [];
    }
  };
  let plain = [];
  const closePlain = () => {
    if (plain.length > 0) {
      nodes.push(...withBreaks(plain, directory));
      plain = [];
    }
  };
  for (const line of text.split('\n')) {
    const quoted = /^(?:&gt;|>) ?(.*)$/.exec(line);
    if (quoted === null) {
      closeQuote();
      plain.push(line);
    } else {
      closePlain();
      quote.push(quoted[1]);
    }
  }
  closeQuote();
  closePlain();
  return nodes;
}

function withBreaks(lines, directory) {
  return lines.flatMap((line, index) => [...(index > 0 ? [h('br')] : []), ...renderInline(line, directory)]);
}

/** Each has the text before a style may start, the styled text, and nothing word-like after it. */
const STYLES = [
  { tag: 'strong', pattern: /(?<![\w*])\*(?=[^\s*])([^*]*?[^\s*])\*(?![\w*])/ },
  { tag: 'em', pattern: /(?<![\w_])_(?=[^\s_])([^_]*?[^\s_])_(?![\w_])/ },
  { tag: 's', pattern: /(?<![\w~])~(?=[^\s~])([^~]*?[^\s~])~(?![\w~])/ },
];

const CODE = /`([^`]+)`/;
const REFERENCE = /<([^<>]+)>/;
const BARE_URL = /https?:\/\/[^\s<>|]+[^\s<>|.,;:!?)\]]/;

function renderInline(text, directory) {
  const hit = firstHit(text, directory);
  if (hit === null) {
    return text === '' ? [] : [document.createTextNode(withEmoji(decode(text)))];
  }
  const before = text.slice(0, hit.index);
  const after = text.slice(hit.index + hit.length);
  return [...renderInline(before, directory), hit.node(), ...renderInline(after, directory)];
}

/** The construct that starts first; at the same place, the one named first. */
function firstHit(text, directory) {
  const hits = [
    found(CODE.exec(text), (match) => h('code', {}, decode(match[1]))),
    found(REFERENCE.exec(text), (match) => renderReference(match[1], directory)),
    found(BARE_URL.exec(text), (match) => link(decode(match[0]), decode(match[0]))),
    ...STYLES.map(({ tag, pattern }) =>
      found(pattern.exec(text), (match) => h(tag, {}, ...renderInline(match[1], directory))),
    ),
  ].filter((hit) => hit !== null);
  return hits.reduce((first, hit) => (first === null || hit.index < first.index ? hit : first), null);
}

function found(match, render) {
  return match === null ? null : { index: match.index, length: match[0].length, node: () => render(match) };
}

/** What stands between < and >. */
function renderReference(content, directory) {
  const [target, ...rest] = content.split('|');
  const label = rest.length > 0 ? decode(rest.join('|')) : null;
  if (target.startsWith('@')) {
    return renderPerson(target.slice(1), directory, label);
  }
  if (target.startsWith('#')) {
    return renderChannel(target.slice(1), directory, label);
  }
  if (target.startsWith('!date^')) {
    return renderDate(target, label);
  }
  if (target.startsWith('!')) {
    const name = target.slice(1).split('^')[0];
    return h('span', { class: 'mention' }, label ?? `@${name}`);
  }
  const url = decode(target);
  return link(url, label ?? url.replace(/^mailto:/, ''));
}

export function renderPerson(id, directory, label = null) {
  const person = directory.people.find((each) => each.id === id);
  return h('span', { class: 'mention', title: person?.realName ?? id }, `@${person?.name ?? label ?? id}`);
}

export function renderChannel(id, directory, label = null) {
  const channel = directory.channels.find((each) => each.id === id);
  return h('span', { class: 'mention' }, `#${channel?.name ?? label ?? id}`);
}

/** `!date^timestamp^pattern^link|fallback`; a token that cannot be read shows its fallback. */
function renderDate(target, fallback) {
  const [, seconds, pattern, url] = target.split('^');
  const date = new Date(Number(seconds) * 1000);
  if (pattern === undefined || !/^\d+$/.test(seconds) || Number.isNaN(date.getTime())) {
    return document.createTextNode(fallback ?? '');
  }
  const time = h(
    'time',
    { datetime: date.toISOString(), title: date.toString() },
    fillDateTokens(decode(pattern), date),
  );
  return url === undefined ? time : link(decode(url), time);
}

function decode(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
