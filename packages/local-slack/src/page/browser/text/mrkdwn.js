import { h, link } from '../base/dom.js';
import { renderTime } from './dates.js';

/** @import { Directory } from '../types.ts' */
/** @import { TextObject } from '@slack/types' */

/**
 * Renders Slack's mrkdwn.
 *
 * @param {string} text as sent by an app: & < > escaped, references in <…>
 * @param {Directory} directory
 * @returns {Node[]}
 */
export function renderMrkdwn(text, directory) {
  const parts = text.split('```');
  if (parts.length % 2 === 0) {
    parts.push(parts.splice(-2).join('```')); // a fence without an end is text
  }
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) {
      return [h('pre', {}, h('code', {}, decode(part.replace(/^\n/, '').replace(/\n$/, ''))))];
    }
    return renderLines(index === 0 ? part : part.replace(/^\n/, ''), directory); // the code block breaks the line
  });
}

/** @param {TextObject} text @param {Directory} directory @returns {Node[]} */
export function renderText(text, directory) {
  return text.type === 'mrkdwn' ? renderMrkdwn(text.text, directory) : [h('span', { class: 'prewrap' }, text.text)];
}

/** @param {string} text @param {Directory} directory */
function renderLines(text, directory) {
  /** @type {{ isQuote: boolean, lines: string[] }[]} */
  const runs = [];
  for (const line of text.split('\n')) {
    const quoted = /^(?:&gt;|>) ?(.*)$/.exec(line);
    const isQuote = quoted !== null;
    const last = runs.at(-1);
    const content = quoted?.[1] ?? line;
    if (last?.isQuote === isQuote) {
      last.lines.push(content);
    } else {
      runs.push({ isQuote, lines: [content] });
    }
  }
  return runs.flatMap(({ isQuote, lines }) => {
    const nodes = withBreaks(lines, directory);
    return isQuote ? [h('blockquote', {}, ...nodes)] : nodes;
  });
}

/** @param {readonly string[]} lines @param {Directory} directory */
function withBreaks(lines, directory) {
  return lines.flatMap((line, index) => [...(index > 0 ? [h('br')] : []), ...renderInline(line, directory)]);
}

/** A word joiner counts as a letter, so nothing begins or ends beside it. @type {readonly { tag: 'strong' | 'em' | 's', pattern: RegExp }[]} */
const STYLES = [
  { tag: 'strong', pattern: /(?<![\w*\u2060])\*(?=[^\s*])([^*]*?[^\s*])\*(?![\w*\u2060])/ },
  { tag: 'em', pattern: /(?<![\w_\u2060])_(?=[^\s_])([^_]*?[^\s_])_(?![\w_\u2060])/ },
  { tag: 's', pattern: /(?<![\w~\u2060])~(?=[^\s~])([^~]*?[^\s~])~(?![\w~\u2060])/ },
];

const CODE = /(?<!\u2060)`([^`]+)`(?!\u2060)/;
const REFERENCE = /<([^<>]+)>/;
const BARE_URL = /(https?:\/\/[^\s<>|]+[^\s<>|.,;:!?)\]])/;

/** @param {string} text @param {Directory} directory @returns {Node[]} */
function renderInline(text, directory) {
  const hit = firstHit(text, directory);
  if (hit === null) {
    return text === '' ? [] : [document.createTextNode(decode(text))];
  }
  const before = text.slice(0, hit.index);
  const after = text.slice(hit.index + hit.length);
  return [...renderInline(before, directory), hit.render(), ...renderInline(after, directory)];
}

/** @typedef {{ index: number, length: number, render: () => Node }} Hit */

/** The first construct in the text. At the same position, the order below decides. @param {string} text @param {Directory} directory */
function firstHit(text, directory) {
  const hits = [
    find(CODE, text, (code) => h('code', {}, decode(code))),
    find(REFERENCE, text, (reference) => renderReference(reference, directory)),
    find(BARE_URL, text, (url) => link(decode(url), decode(url))),
    ...STYLES.map(({ tag, pattern }) => find(pattern, text, (inner) => h(tag, {}, ...renderInline(inner, directory)))),
  ].filter((hit) => hit !== null);
  return hits.reduce(
    (/** @type {Hit | null} */ first, hit) => (first === null || hit.index < first.index ? hit : first),
    null,
  );
}

/**
 * @param {RegExp} pattern with one group
 * @param {string} text
 * @param {(group: string) => Node} render
 * @returns {Hit | null}
 */
function find(pattern, text, render) {
  const match = pattern.exec(text);
  return match && { index: match.index, length: match[0].length, render: () => render(match[1] ?? '') };
}

/** The content of <…>. @param {string} content @param {Directory} directory @returns {Node} */
function renderReference(content, directory) {
  const [target = '', ...rest] = content.split('|');
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
  if (target.startsWith('!subteam^')) {
    return renderUserGroup(target.slice('!subteam^'.length), directory, label);
  }
  if (target.startsWith('!')) {
    const name = target.slice(1).split('^')[0];
    return h('span', { class: 'mention' }, label ?? `@${name}`);
  }
  const url = decode(target);
  return link(url, label ?? url.replace(/^mailto:/, ''));
}

/** @param {string} id @param {Directory} directory @param {string | null} [label] */
function renderPerson(id, directory, label = null) {
  const person = directory.people.find((each) => each.id === id);
  return h('span', { class: 'mention', title: person?.realName ?? id }, `@${person?.name ?? label ?? id}`);
}

/** @param {string} id @param {Directory} directory @param {string | null} [label] */
function renderUserGroup(id, directory, label = null) {
  const group = directory.userGroups.find((each) => each.id === id);
  return h(
    'span',
    { class: 'mention', title: group?.name ?? id },
    group === undefined ? (label ?? `@${id}`) : `@${group.handle}`,
  );
}

/** @param {string} id @param {Directory} directory @param {string | null} [label] */
function renderChannel(id, directory, label = null) {
  const channel = directory.channels.find((each) => each.id === id);
  return h('span', { class: 'mention' }, `#${channel?.name ?? label ?? id}`);
}

/**
 * `!date^timestamp^pattern^link|fallback`. An invalid token shows its fallback.
 *
 * @param {string} target
 * @param {string | null} fallback
 * @returns {Node}
 */
function renderDate(target, fallback) {
  const [, seconds = '', pattern, url] = target.split('^');
  const date = new Date(Number(seconds) * 1000);
  if (pattern === undefined || !/^\d+$/.test(seconds) || Number.isNaN(date.getTime())) {
    return document.createTextNode(fallback ?? '');
  }
  const time = renderTime(decode(pattern), date);
  return url === undefined ? time : link(decode(url), time);
}

/** @param {string} text */
function decode(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
