import type { Mute } from '../../contract/mute.ts';
import { labelGivenBy } from './incident-labels.ts';
import { nameService } from './service-name.ts';

/** A matcher of an Alertmanager's silence. */
export interface SilenceMatcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

type Muted = { readonly target: 'service' | 'labels'; readonly value: string };

/** Labels that are the name of the service as it is, so that a part of it is a part of the service's name. */
const SERVICE_LABELS: readonly string[] = ['service', 'service_name', 'app', 'app_kubernetes_io_name', 'job'];

const ANY = '*';

/** What a mute applies to that has the same effect; text: which matcher no mute can have, and why. */
export function muteOfSilence(matchers: readonly SilenceMatcher[]): Muted | string {
  const words: string[][] = [];
  for (const matcher of matchers) {
    const read = wordsOf(matcher);
    if (typeof read === 'string') {
      return `${show(matcher)} cannot be muted: ${read}`;
    }
    const label = labelOf(read[0] ?? '');
    if (words.some(([word = '']) => labelOf(word) === label)) {
      return `${show(matcher)} cannot be muted: there is another matcher for the ${label}`;
    }
    words.push(read);
  }
  const [only = '', ...more] = words.flat();
  return more.length === 0 && labelOf(only) === 'service' && !only.includes(ANY)
    ? { target: 'service', value: textOf(only) }
    : { target: 'labels', value: [only, ...more].join(', ') };
}

/** The words of a mute by labels; text: why there are none. */
function wordsOf({ name, value, isRegex, isEqual }: SilenceMatcher): string[] | string {
  if (!isEqual) {
    return 'a mute names what it applies to, and leaves nothing out';
  }
  const values = isRegex ? readAlternatives(value) : readLiteral(value);
  if (typeof values === 'string') {
    return values;
  }
  const label = labelGivenBy(name);
  const words = values.map((each) => (label === null ? serviceWord(name, each) : `${label}:${each}`));
  return words.every((word) => word !== null)
    ? words
    : 'this label names neither a service nor team, env, cluster, namespace or region';
}

function serviceWord(name: string, value: string): string | null {
  if (value.includes(ANY)) {
    return SERVICE_LABELS.includes(name.replaceAll('.', '_')) ? `service:${value}` : null;
  }
  const { service, by } = nameService({ labels: { [name]: value } });
  return by === 'nothing' ? null : `service:${service}`;
}

function readLiteral(value: string): string[] | string {
  if (value.trim() === '') {
    return 'the value is empty';
  }
  return /[,*]/.test(value) ? 'the value contains a comma or an asterisk' : [value.trim()];
}

/** `payments|orders-.*` gives `payments` and `orders-*`. */
function readAlternatives(regex: string): string[] | string {
  const [, grouped, plain = ''] = /^\^?(?:\((?:\?:)?([^()]*)\)|([^()$]*))\$?$/.exec(regex) ?? [];
  const values: string[] = [];
  for (const alternative of (grouped ?? plain).split('|')) {
    const text = alternative === '.+' ? ANY : readPattern(alternative);
    if (text === null) {
      return 'of regular expressions only alternatives and .* are supported, such as payments|orders-.*; a dot is written \\.';
    }
    values.push(text);
  }
  return values;
}

const PIECE = /\.\*|\\[.\-/_:+]|[^.\\*+?^$()[\]{}|,]/gy;

/** @returns null: it is more than text and `.*` */
function readPattern(alternative: string): string | null {
  const pieces = alternative.match(PIECE) ?? [];
  const text = pieces.map((piece) => (piece === '.*' ? ANY : piece.replace('\\', ''))).join('');
  return pieces.join('') === alternative && text !== ANY && text.trim() === text && text !== '' ? text : null;
}

/** Null: no silence is like it. */
export function matchersOf({ target, value }: Pick<Mute, 'target' | 'value'>): SilenceMatcher[] | null {
  if (target === 'service') {
    return [{ name: 'service', value, isRegex: false, isEqual: true }];
  }
  if (target !== 'labels') {
    return null;
  }
  return [...Map.groupBy(value.split(', '), labelOf)].map(([name, words]) => {
    const isRegex = words.length > 1 || words.some((word) => word.includes(ANY));
    const values = words.map(textOf);
    return { name, value: isRegex ? values.map(toRegex).join('|') : values.join(''), isRegex, isEqual: true };
  });
}

function toRegex(value: string): string {
  return value === ANY ? '.+' : value.replaceAll(/[\\.+?^$()[\]{}|]/g, '\\$&').replaceAll(ANY, '.*');
}

function labelOf(word: string): string {
  return word.slice(0, word.indexOf(':'));
}

function textOf(word: string): string {
  return word.slice(word.indexOf(':') + 1);
}

/** `team=~"a|b"` */
export function show({ name, value, isRegex, isEqual }: SilenceMatcher): string {
  const operator = isEqual ? (isRegex ? '=~' : '=') : isRegex ? '!~' : '!=';
  return `${name}${operator}${JSON.stringify(value)}`;
}
