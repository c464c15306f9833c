import type { MrkdwnElement, PlainTextElement } from '@slack/types';
import { plural } from '../../incident/phrase.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const ELLIPSIS = '…';
const LONGEST_LINK = 300;

/** Control characters and bidirectional marks, with which a name could imitate another line. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Escapes untrusted text for mrkdwn: `&`, `<` and `>` become entities, so that it cannot forge a mention, link or date.
 * Truncates to `limit` characters of the escaped text, never inside an entity or a surrogate pair.
 */
export function escapeMrkdwn(text: string, limit: number): string {
  let escaped = '';
  let fits = '';
  for (const character of text.toWellFormed()) {
    escaped += ENTITIES[character] ?? character;
    if (escaped.length > limit) {
      return fits + ELLIPSIS;
    }
    if (escaped.length + ELLIPSIS.length <= limit) {
      fits = escaped;
    }
  }
  return escaped;
}

/** Invisible character that keeps Slack from parsing a formatting mark next to it; mrkdwn has no escape for these. */
const JOINER = '\u2060';
const MARK = /[*_~`]/g;

/** Untrusted text for use within a line: no line breaks, unprintable characters or formatting. */
export function inline(text: string, limit: number): string {
  return escapeMrkdwn(unformatted(singleLine(text)), limit);
}

/** Untrusted text within a line that keeps its formatting, for the end of a line. */
export function formattedInline(text: string, limit: number): string {
  return escapeMrkdwn(singleLine(text), limit);
}

/** Puts a joiner next to formatting marks that could start or end formatting. */
function unformatted(line: string): string {
  return line.replace(MARK, (mark, at: number) => {
    const [before, after] = [line[at - 1] ?? ' ', line[at + 1] ?? ' '];
    if (before === ' ' && after === ' ') {
      return mark;
    }
    return `${isInWord(before) ? '' : JOINER}${mark}${isInWord(after) ? '' : JOINER}`;
  });
}

function isInWord(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}

/** Makes words bold, unless they contain an asterisk, which would end the bold text. */
export function bold(words: string): string {
  return words.includes('*') ? words : `*${words}*`;
}

/** An untrusted name as inline code. */
export function code(text: string, limit: number): string {
  return `\`${escapeMrkdwn(singleLine(text).replaceAll('`', 'ˋ'), limit - 2) || '?'}\``;
}

function singleLine(text: string): string {
  return text.toWellFormed().replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
}

/** The beginning of an untrusted text as a quotation, with its line breaks and its formatting. */
export function quote(text: string, limit: number): string {
  return quotePart(text, limit).quoted;
}

/** @returns `rest`: what the quotation leaves out; empty: nothing */
export function quotePart(text: string, limit: number): { readonly quoted: string; readonly rest: string } {
  const printable = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ');
  let quoted = '> ';
  let length = 0;
  for (const character of printable) {
    const next = character === '\n' ? '\n> ' : (ENTITIES[character] ?? character);
    if (quoted.length + next.length + ELLIPSIS.length > limit) {
      return { quoted: quoted + ELLIPSIS, rest: printable.slice(length) };
    }
    quoted += next;
    length += character.length;
  }
  return { quoted, rest: '' };
}

/** Truncates plain text to `limit`. Nothing is escaped, because Slack does not parse plain_text objects. */
export function cut(text: string, limit: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= limit) {
    return whole;
  }
  return whole.slice(0, limit - ELLIPSIS.length).replace(/[\ud800-\udbff]$/, '') + ELLIPSIS;
}

/** Splits plain text into pieces of at most `limit` characters, never inside a surrogate pair. */
export function pieces(text: string, limit: number): string[] {
  return text.toWellFormed().match(new RegExp(`[\\s\\S]{1,${limit}}(?![\\udc00-\\udfff])`, 'g')) ?? [];
}

/** A date that Slack shows in the reader's time zone; plain text shows UTC. */
export function dateToken(at: string): string {
  return token(at, '{date_short_pretty} {time}');
}

/** A date that Slack shows as the time passed since then, "20 seconds ago"; plain text shows UTC. */
export function agoToken(at: string): string {
  return token(at, '{ago}');
}

/** A time of the day that Slack shows in the reader's time zone; plain text shows UTC. */
export function timeToken(at: string): string {
  return token(at, '{time_secs}');
}

/**
 * A date and the time passed since then, "Today at 10:02, 14 minutes ago". Slack computes both for each reader, so an age
 * stays true without an edit.
 */
export function sinceToken(at: string): string {
  return token(at, '{date_short_pretty} {time}, {ago}');
}

/** "45 s", "14 min", "3 h 20 min" or "2 days". */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) {
    return `${seconds} s`;
  }
  if (minutes < 60) {
    return `${minutes} min`;
  }
  if (minutes < 48 * 60) {
    const rest = minutes % 60;
    return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
  }
  return plural(Math.round(minutes / 1_440), 'day');
}

function token(at: string, format: string): string {
  const date = new Date(at);
  const seconds = Math.floor(date.getTime() / 1000);
  if (!Number.isSafeInteger(seconds) || seconds < 0) {
    return inline(at, 40);
  }
  const fallback = `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${seconds}^${format}|${fallback}>`;
}

/** From one service to another. Both are mrkdwn. */
export function arrow(from: string, to: string): string {
  return `${from} -&gt; ${to}`;
}

/** A link to a page of the service, or only the label if the address is not http(s). */
export function link(url: string | undefined, label: string): string {
  const safe = webAddress(url)?.replaceAll('&', '&amp;');
  return safe !== undefined && safe.length <= LONGEST_LINK ? `<${safe}|${label}>` : label;
}

/** The address without characters that are special in mrkdwn, except `&`; null if it is not http(s). */
export function webAddress(url: string | undefined): string | null {
  const { protocol, href } = (url === undefined ? null : URL.parse(url)) ?? {};
  return href !== undefined && /^https?:$/.test(protocol ?? '') ? href.replace(/[|<>]/g, encodeURIComponent) : null;
}

/** `verbatim` keeps Slack from turning words such as `@here` into mentions, channels or links. */
export function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

export function plainText(text: string, limit: number): PlainTextElement {
  return { type: 'plain_text', text: cut(text, limit) };
}
