import { h, link } from './dom.js';
import { withEmoji } from './emoji.js';

/**
 * Renders the standard Markdown that a markdown block holds: headings, lists, quotes, fences, rules, and styles in a line.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function renderMarkdown(text) {
  const lines = text.split('\n');
  const nodes = [];
  while (lines.length > 0) {
    const kind = KINDS.find(({ start }) => start.test(lines[0]));
    nodes.push(kind.take(lines));
  }
  return nodes.filter((node) => node !== null);
}

/** The first lines that match, taken away. */
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
const OTHER = [FENCE, HEADING, RULE, QUOTE, BULLET, NUMBER, BLANK];

function takeList(tag, pattern) {
  return (lines) =>
    h(
      tag,
      { class: 'rich' },
      ...takeWhile(lines, pattern).map((line) => {
        const indent = Math.min(4, Math.floor(/^\s*/.exec(line)[0].length / 2));
        return h('li', { class: indent > 0 ? `indent-${indent}` : null }, ...renderInline(line.replace(pattern, '')));
      }),
    );
}

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
      const [, marks, title] = HEADING.exec(lines.shift());
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
    take: (lines) =>
      h(
        'blockquote',
        {},
        ...renderMarkdown(
          takeWhile(lines, QUOTE)
            .map((line) => line.replace(QUOTE, ''))
            .join('\n'),
        ),
      ),
  },
  { start: BULLET, take: takeList('ul', BULLET) },
  { start: NUMBER, take: takeList('ol', NUMBER) },
  {
    start: /^/,
    take(lines) {
      const end = lines.findIndex((line, index) => index > 0 && OTHER.some((pattern) => pattern.test(line)));
      const paragraph = lines.splice(0, end < 0 ? lines.length : end);
      return h('p', { class: 'prewrap' }, ...renderInline(paragraph.join('\n')));
    },
  },
];

/** What starts first wins; at the same place, the one named first. */
const INLINE = [
  [/`([^`]+)`/, (match) => h('code', {}, match[1])],
  [/!\[([^\]]*)\]\(([^()\s]+)\)/, (match) => link(match[2], match[1])],
  [/\[([^\]]+)\]\(([^()\s]+)\)/, (match) => link(match[2], ...renderInline(match[1]))],
  [/(?<!\*)\*\*(?=\S)(.+?)(?<=\S)\*\*/s, (match) => h('strong', {}, ...renderInline(match[1]))],
  [/~~(?=\S)(.+?)(?<=\S)~~/s, (match) => h('s', {}, ...renderInline(match[1]))],
  [/(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])/, (match) => h('em', {}, ...renderInline(match[1]))],
  [/(?<!\w)_(?=[^\s_])([^_]+?)(?<=\S)_(?!\w)/, (match) => h('em', {}, ...renderInline(match[1]))],
  [/https?:\/\/[^\s<>)]+[^\s<>).,;:!?]/, (match) => link(match[0], match[0])],
];

function renderInline(text) {
  const hits = INLINE.map(([pattern, render]) => ({ match: pattern.exec(text), render })).filter(
    ({ match }) => match !== null,
  );
  const first = hits.reduce((best, hit) => (best === null || hit.match.index < best.match.index ? hit : best), null);
  if (first === null) {
    return text === '' ? [] : [document.createTextNode(withEmoji(text))];
  }
  const { match, render } = first;
  const end = match.index + match[0].length;
  return [...renderInline(text.slice(0, match.index)), render(match), ...renderInline(text.slice(end))];
}
