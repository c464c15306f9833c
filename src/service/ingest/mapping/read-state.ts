import type { StateMeaning } from '../../../contract/integrations.ts';
import {
  NEGATING_PREFIXES,
  REPEATING_PREFIXES,
  STATE_PARTS,
  STATE_PHRASES,
  STATE_WORDS,
  type WordKind,
} from './state-words.ts';

/** More words than this are a sentence, of which only its mark is a state: `[Resolved] …`, `PROBLEM: …`, `… is down`. */
const MOST_WORDS = 5;
const MOST_CHARACTERS = 60;

/** `[Resolved] …`; not brackets around everything. */
const BRACKETED = /^\W*\[([^\][]{1,40})\]\s*[^\s.]/u;

const MARKS: readonly RegExp[] = [
  BRACKETED,
  /^([^\s:]{2,20}(?: [^\s:]{2,20})?)\s*[:：–—]\s/u,
  /\s(?:is|are|ist|est|está|esta|è|é)\s+((?:(?:now|not|back|still|wieder|nicht)\s+)*\S+)/iu,
];

/**
 * What a state says, by its words; a number or a boolean by the name of its field: `healthy: false` fails.
 *
 * @param name of the field, or of several that enclose it, innermost last
 * @returns null: the words are unknown, or contradict each other
 */
export function readState(text: string, name = ''): StateMeaning | null {
  const said = text.trim();
  if (/^(?:true|false|yes|no|0|1)$/i.test(said)) {
    const isSo = /^(?:true|yes|1)$/i.test(said);
    const ofName = meaningOf(wordsIn(name).filter((word) => !/^(?:is|has|are|ist|est)$/.test(word)));
    return isSo ? ofName : contraryOf(ofName);
  }
  const mark = markOf(said);
  return mark === null ? null : readWords(mark);
}

/** The part of a text that says the state; null: it is a sentence that says none. */
export function markOf(text: string): string | null {
  const [, bracketed] = BRACKETED.exec(text) ?? [];
  if (bracketed !== undefined) {
    return markOf(bracketed);
  }
  const last =
    text
      .split(/->|=>|→|⇒|\bto\b(?=\s+\S+\s*$)/)
      .at(-1)
      ?.trim() ?? '';
  const isFailedTo = /\b(?:fail\w*|unable|cannot|could not) to\b/i.test(text);
  const said = isFailedTo ? text : last;
  if (said.length <= MOST_CHARACTERS && wordsIn(said).length <= MOST_WORDS) {
    return said;
  }
  return ownMark(text) ?? null;
}

/** Of several marks the one that says a state: "nas-1: Pool tank is DEGRADED" does so by its predicate. */
function ownMark(text: string): string | undefined {
  const found = MARKS.flatMap((each) => each.exec(text)?.[1] ?? []);
  return found.find((mark) => readWords(mark) !== null) ?? found[0];
}

/**
 * What a title that people read says of its failure: by brackets, a first word before a colon, or "… is down". Its other words say
 * what fails, so that "memory available: 2 %" and "no server is available" are no ends.
 *
 * @returns null: it says nothing of that
 */
export function stateInText(title: string): Exclude<StateMeaning, 'ignored'> | null {
  const text = title.trim();
  const [bracketed, prefix, predicate] = MARKS.map((each) => each.exec(text)?.[1]);
  const [first = ''] = (prefix ?? '').split(' ');
  const isNegated = kindsOf(wordsIn(text)).includes('not') && !hasStateWord(first);
  const mark = bracketed ?? (hasStateWord(first) ? prefix : isNegated ? undefined : predicate);
  const said = mark === undefined ? null : readState(mark);
  return said === 'ignored' ? null : said;
}

/** A state as it is remembered and asked about. */
export function stateWord(state: string): string {
  return (markOf(state) ?? state).trim().toLowerCase().slice(0, MOST_CHARACTERS);
}

/**
 * A title without the mark that says its state, so that it is the same for a failure and its end.
 *
 * @param isState whether the mark is known to be the state, also if its words are not known
 */
export function withoutMark(title: string, isState = false): string {
  const mark = ownMark(title);
  if (mark === undefined || (!isState && readWords(mark) === null)) {
    return title;
  }
  return title.replace(mark, '').replace(/^[^\p{L}\p{N}]+/u, '');
}

/**
 * A title without the words of its mark that say its state. Unlike `withoutMark`, what else the mark says stays: it may say which
 * failure it is, `[Triggered on {host:web-7}] …`.
 */
export function withoutState(title: string): string {
  const mark = ownMark(title);
  if (mark === undefined || !hasStateWord(mark)) {
    return title;
  }
  const others = mark.split(/\s+/).filter((part) => !hasStateWord(part));
  const rest = title.replace(mark, others.join(' '));
  return others.length === 0 ? rest.replace(/^[^\p{L}\p{N}]+/u, '') : rest;
}

/** What a title is about: its text without any word of a state, which is the same for a failure and its end. Only for keys. */
export function subjectOf(title: string): string {
  const isOfState = (part: string) => kindsOf(wordsIn(part)).some((kind) => kind !== null && kind !== 'noun');
  return withoutMark(title)
    .split(/\s+/)
    .filter((part) => !isOfState(part))
    .join(' ');
}

function hasStateWord(text: string): boolean {
  return kindsOf(wordsIn(text)).some((kind) => kind !== null) || partsIn(text) !== null;
}

function readWords(text: string): StateMeaning | null {
  // "recovered from critical" says where it comes from
  const [words = []] = split(wordsIn(text), /^(?:from|was|were|war|von|depuis)$/);
  return meaningOf(words) ?? partsIn(text);
}

function meaningOf(words: readonly string[]): StateMeaning | null {
  const kinds = kindsOf(words);
  // A noun decides where nothing else is said: "alarm vanished" is no alarm.
  const isOnlyNouns = kinds.every((kind, at) => kind === 'noun' || kind === 'not' || isLittle(words[at]));
  const said = { fails: false, over: false, acknowledged: false, ignored: false, noun: null as StateMeaning | null };
  let isNegated = false;
  for (const [at, kind] of kinds.entries()) {
    if (kind === 'not' || (kind === 'fails' && words[at + 1] === 'to')) {
      isNegated = true;
    } else if (kind === 'noun') {
      said.noun = isNegated ? 'over' : 'fails';
      isNegated = false;
    } else if (kind !== null) {
      const meaning = isNegated ? contraryOf(kind) : kind;
      said[meaning ?? 'ignored'] = true;
      isNegated = false;
    }
  }
  if (said.fails && said.over) {
    return null;
  }
  const strong = (['over', 'acknowledged', 'ignored', 'fails'] as const).find((meaning) => said[meaning]);
  // What a negation at the end negates is unknown: "no ar" is Portuguese for "on air".
  return strong ?? (isOnlyNouns && !isNegated ? said.noun : null);
}

/** Articles and prepositions, and numbers of letters. */
function isLittle(word = ''): boolean {
  return (
    /^[a-z]{0,2}$/.test(word) || /^(?:the|der|die|das|les|des|los|las|del|dos|das|gli|het|een|une?|event)$/.test(word)
  );
}

/** What is not acknowledged is still open, and what is no test is anything. */
function contraryOf(meaning: StateMeaning | null): StateMeaning | null {
  const contrary = { fails: 'over', over: 'fails', acknowledged: 'fails', ignored: null } as const;
  return meaning === null ? null : contrary[meaning];
}

function kindsOf(words: readonly string[]): (WordKind | null)[] {
  const kinds: (WordKind | null)[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const phrase = [3, 2].map((count) => words.slice(at, at + count)).find((each) => STATE_PHRASES[each.join(' ')]);
    if (phrase === undefined) {
      kinds.push(kindOf(words[at] ?? ''));
    } else {
      kinds.push(STATE_PHRASES[phrase.join(' ')] ?? null, ...phrase.slice(1).map(() => null));
      at += phrase.length - 1;
    }
  }
  return kinds;
}

interface Stem {
  readonly text: string;
  readonly isWhole: boolean;
  readonly kind: WordKind;
}

/** The longest first, so that "failure" is not read as "fail". */
const STEMS: readonly Stem[] = Object.values(STATE_WORDS)
  .flatMap((kinds) => Object.entries(kinds))
  .flatMap(([kind, texts]) =>
    texts.split(/\s+/).map((text) => ({
      text: text.replace('=', ''),
      isWhole: text.startsWith('='),
      kind: kind as WordKind, // the keys of the table
    })),
  )
  .toSorted((one, other) => other.text.length - one.text.length);

/** Words of states are few; payloads of a sender have the same again and again. */
const KNOWN_KINDS = new Map<string, WordKind | null>();
const MOST_KNOWN = 5_000;

function kindOf(word: string): WordKind | null {
  const known = KNOWN_KINDS.get(word);
  if (known !== undefined) {
    return known;
  }
  if (KNOWN_KINDS.size >= MOST_KNOWN) {
    KNOWN_KINDS.clear();
  }
  const kind = findKind(word);
  KNOWN_KINDS.set(word, kind);
  return kind;
}

function findKind(word: string): WordKind | null {
  const own = STEMS.find(({ text, isWhole }) => (isWhole ? word === text : word.startsWith(text)));
  if (own !== undefined) {
    return own.kind;
  }
  const repeated = REPEATING_PREFIXES.find((prefix) => word.startsWith(prefix) && word.length > prefix.length + 2);
  const again = repeated === undefined ? null : kindOf(word.slice(repeated.length));
  if (again === 'fails') {
    return again;
  }
  for (const prefix of NEGATING_PREFIXES) {
    const rest = word.startsWith(prefix) && word.length > prefix.length + 2 ? kindOf(word.slice(prefix.length)) : null;
    if (rest === 'over' || rest === 'fails' || rest === 'acknowledged') {
      return contraryOf(rest);
    }
  }
  return null;
}

/** In scripts without spaces the part that comes last decides, and 未 and its like turn what follows. */
function partsIn(text: string): StateMeaning | null {
  const found = (['over', 'fails', 'acknowledged'] as const).flatMap((kind) =>
    (STATE_PARTS[kind] ?? '').split(' ').flatMap((part) => {
      const at = text.lastIndexOf(part);
      return at === -1 ? [] : [{ kind, at }];
    }),
  );
  const last = found.toSorted((one, other) => other.at - one.at)[0];
  if (last === undefined) {
    return null;
  }
  const isNegated = (STATE_PARTS.not ?? '').split(' ').includes(text.charAt(last.at - 1));
  return isNegated ? contraryOf(last.kind) : last.kind;
}

/** Lower case, without accents, parted where letters end and where a capital begins. */
export function wordsIn(text: string): string[] {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/(?<=\p{L})['’](?=t\b)/gu, '')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}

function split(words: readonly string[], at: RegExp): (readonly string[])[] {
  const index = words.findIndex((word) => at.test(word));
  return index < 1 ? [words] : [words.slice(0, index), words.slice(index + 1)];
}
