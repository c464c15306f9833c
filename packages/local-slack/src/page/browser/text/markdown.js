import { h, link } from '../base/dom.js';
import { withEmoji } from './emoji.js';

/**
 * Renders the standard Markdown of a markdown block: headings, lists, quotes, code, rules and inline styles.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function renderMarkdown(text) {
  const lines = text.split('\n');
  /** @type {Node[]} */
  const nodes = [];
  for (let first = lines[0]; first !== undefined; first = lines[0]) {
    const start = first;
    const kind = KINDS.find((each) => each.start.test(start)) ?? PARAGRAPH;
    const node = kind.take(lines);
    if (node !== null) {
      nodes.push(node);
    }
  }
  return nodes;
}

/** Removes and returns the leading lines that match. @param {string[]} lines @param {RegExp} pattern */
function takeWhile(lines, pattern) {
  const end = lines.findIndex((line) => !pattern.test(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}

const FENCE = /^```/;
const HEADING = /^(#{1,6}) +(.*?)#*$/;
const RULE = /^ {0,3}([-*_])( *\1){2,} *$/;
const QUOTE = /^> ?/;
const BULLET = /^\s*[-*+] +/;
const NUMBER = /^\s*\d+[.)] +/;
const BLANK = /^\s*$/;

/** @param {'ul' | 'ol'} tag @param {RegExp} pattern */
function takeList(tag, pattern) {
  /** @param {string[]} lines */
  return (lines) =>
    h(
      tag,
      { class: 'rich' },
      ...takeWhile(lines, pattern).map((line) => {
        const indent = Math.min(4, Math.floor((line.length - line.trimStart().length) / 2));
        return h('li', { class: indent > 0 ? `indent-${indent}` : null }, ...renderInline(line.replace(pattern, '')));
      }),
    );
}

/**
 * @typedef {object} Kind
 * @property {RegExp} start matches the first line
 * @property {(lines: string[]) => Node | null} take removes the lines of the block and renders them
 */

/** @type {readonly Kind[]} */
const KINDS = [
  {
    start: BLANK,
    take(lines) {
      takeWhile(lines, BLANK);
      return null;
    },
  },
  {
    start: FENCE,
    take(lines) {
      lines.shift();
      const code = takeWhile(lines, /^(?!```)/);
      lines.shift();
      return h('pre', {}, h('code', {}, code.join('\n')));
    },
  },
  {
    start: HEADING,
    take(lines) {
      const [, marks = '', title = ''] = HEADING.exec(lines.shift() ?? '') ?? [];
      return h('p', { class: 'md-heading', role: 'heading', 'aria-level': marks.length + 2 }, ...renderInline(title));
    },
  },
  {
    start: RULE,
    take(lines) {
      lines.shift();
      return h('hr', { class: 'block' });
    },
  },
  {
    start: QUOTE,
    take(lines) {
      const quoted = takeWhile(lines, QUOTE).map((line) => line.replace(QUOTE, ''));
      return h('blockquote', {}, ...renderMarkdown(quoted.join('\n')));
    },
  },
  { start: BULLET, take: takeList('ul', BULLET) },
  { start: NUMBER, take: takeList('ol', NUMBER) },
];

/** @type {Kind} */
const PARAGRAPH = {
  start: /^/,
  take(lines) {
    const end = lines.findIndex((line, index) => index > 0 && KINDS.some(({ start }) => start.test(line)));
    const paragraph = lines.splice(0, end < 0 ? lines.length : end);
    return h('p', { class: 'prewrap' }, ...renderInline(paragraph.join('\n')));
  },
};

/**
 * The first match wins. At the same position, the order of this list decides.
 *
 * @type {readonly (readonly [RegExp, (first: string, second: string) => Node])[]} the groups of the pattern
 */
const INLINE = [
  [/`([^`]+)`/, (code) => h('code', {}, code)],
  [/!\[([^\]]*)\]\(([^()\s]+)\)/, (label, url) => link(url, label)],
  [/\[([^\]]+)\]\(([^()\s]+)\)/, (label, url) => link(url, ...renderInline(label))],
  [/(?<!\*)\*\*(?=\S)(.+?)(?<=\S)\*\*/s, (text) => h('strong', {}, ...renderInline(text))],
  [/~~(?=\S)(.+?)(?<=\S)~~/s, (text) => h('s', {}, ...renderInline(text))],
  [/(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])/, (text) => h('em', {}, ...renderInline(text))],
  [/(?<!\w)_(?=[^\s_])([^_]+?)(?<=\S)_(?!\w)/, (text) => h('em', {}, ...renderInline(text))],
  [/(https?:\/\/[^\s<>)]+[^\s<>).,;:!?])/, (url) => link(url, url)],
];

/** @param {string} text @returns {Node[]} */
function renderInline(text) {
  const hits = INLINE.flatMap(([pattern, render]) => {
    const match = pattern.exec(text);
    return match === null ? [] : [{ match, render }];
  });
  const first = hits.reduce(
    (/** @type {typeof hits[number] | null} */ best, hit) =>
      best === null || hit.match.index < best.match.index ? hit : best,
    null,
  );
  if (first === null) {
    return text === '' ? [] : [document.createTextNode(withEmoji(text))];
  }
  const { match, render } = first;
  const end = match.index + match[0].length;
  return [
    ...renderInline(text.slice(0, match.index)),
    render(match[1] ?? '', match[2] ?? ''),
    ...renderInline(text.slice(end)),
  ];
}
