import { wordsIn } from './read-state.ts';
import { isUnfilled } from './unfilled.ts';

export type Scalar = string | number | boolean | null;

/** A value in a body, and the expression that reads it. */
export interface Place {
  /** Of its field, without case and separators. */
  readonly name: string;
  /** `monitor.name` is the `monitorname`, too. */
  readonly fullName: string;
  readonly expression: string;
  /** The expression of the object that has it. */
  readonly owner: string;
  readonly depth: number;
  readonly value: Scalar;
}

/** Objects that may stand for a field, `service: {id, summary}`, and their members that people read. */
const OBJECTS: ReadonlySet<string> = new Set(
  'service application app component host resource project priority severity state status monitor check'.split(' '),
);
const LABELS: ReadonlySet<string> = new Set(['name', 'displayname', 'label', 'summary', 'value']);

/** What is looked at, so that a payload of thousands of fields costs little. */
const LIMITS = { depth: 6, places: 500, expression: 200, pairs: 50 };

/** Names that are words of the language. */
const RESERVED =
  /^(?:as|break|const|continue|else|false|for|function|if|import|in|let|loop|package|namespace|null|return|true|var|void|while)$/;

/**
 * What a body has: texts, numbers, booleans and what is null. Of a list only its first entry, which has the name of the
 * list; of a list of pairs all, by their keys. Placeholders that nobody filled are left out.
 */
export function placesIn(value: unknown, expression: string, depth = 0): Place[] {
  if (typeof value !== 'object' || value === null || depth === LIMITS.depth) {
    return [];
  }
  if (Array.isArray(value)) {
    const pairs = pairsIn(value, expression, depth);
    return pairs.length > 0 ? pairs : placesOf([['0', value[0]]], expression, depth, true);
  }
  return placesOf(Object.entries(value), expression, depth, false);
}

function placesOf(
  entries: readonly (readonly [string, unknown])[],
  expression: string,
  depth: number,
  isList: boolean,
): Place[] {
  const places: Place[] = [];
  for (const [key, entry] of entries.slice(0, LIMITS.places)) {
    const inner = isList ? `${expression}[0]` : expression + access(key);
    if (inner.length > LIMITS.expression || places.length >= LIMITS.places) {
      continue;
    }
    const told = typeof entry === 'string' ? jsonIn(entry) : entry;
    if (typeof told === 'object' && told !== null) {
      places.push(...placesIn(told, told === entry ? inner : `parseJson(${inner})`, depth + 1));
    } else if (isScalar(entry) && !(typeof entry === 'string' && entry.trim() !== '' && isUnfilled(entry))) {
      const [own, owner] = [isList ? nameIn(expression) : simple(key), nameIn(expression)];
      const fullName = isList ? own : `${owner}${own}`;
      places.push({ name: nameOf(own, owner), fullName, expression: inner, owner: expression, depth, value: entry });
    }
  }
  return places.slice(0, LIMITS.places);
}

/** An object as a text: forms and queues have them. */
function jsonIn(text: string): unknown {
  try {
    return text.startsWith('{') ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

/** A name or an id of an object is that of what the object is: `issue: {id}` is the id of an issue. */
function nameOf(name: string, owner: string): string {
  if (OBJECTS.has(owner) && LABELS.has(name)) {
    return owner;
  }
  return name === 'id' && !/^(?:body|event|data|attributes|payload)?$/.test(owner) ? `${owner}id` : name;
}

function pairsIn(list: readonly unknown[], expression: string, depth: number): Place[] {
  return list.slice(0, LIMITS.pairs).flatMap((entry): Place[] => {
    const pair = pairIn(entry);
    if (pair === null || (typeof pair.value === 'string' && isUnfilled(pair.value))) {
      return [];
    }
    const inner = `${expression}.filter(p, p.${pair.by} == ${JSON.stringify(pair.key)})[0].${pair.of}`;
    const name = simple(pair.key);
    const place = { name, fullName: name, expression: inner, owner: expression, depth, value: pair.value };
    return inner.length > LIMITS.expression ? [] : [place];
  });
}

const KEYS = ['key', 'name', 'label', 'tag', 'title', 'field', 'Key', 'Name', 'Title'];
const VALUES = ['value', 'val', 'Value'];

/** A pair in a list of them: `{key, value}`, `{name, value}` and their like. null: it is none */
export function pairIn(
  entry: unknown,
): { by: string; key: string; of: string; value: string | number | boolean } | null {
  if (typeof entry !== 'object' || entry === null) {
    return null;
  }
  const held: Readonly<Record<string, unknown>> = { ...entry };
  const by = KEYS.find((name) => typeof held[name] === 'string');
  const of = VALUES.find((name) => Object.hasOwn(held, name));
  const [key, value] = [held[by ?? ''], held[of ?? '']];
  if (by === undefined || of === undefined || typeof key !== 'string' || !isScalar(value) || value === null) {
    return null;
  }
  return { by, key, of, value };
}

/** The words of a place's own name. */
export function wordsOfName({ expression }: Place): string[] {
  return wordsIn(/([\p{L}\p{N}_ -]+)(?:"?\])?(?:\[0\])?$/u.exec(expression)?.[1] ?? '');
}

/** Last words of names of times, in several languages. */
const OF_TIME =
  /^(?:at|on|time|date|timestamp|ts|am|le|em|il|op|um|datum|zeit|fecha|data|hora|ora|heure|tijd|since|seit|until|duration|age|ms|seconds|minutes|hours|days|millis|epoch)$/;

export function isNamedTime(place: Place): boolean {
  const words = wordsOfName(place);
  return (
    words.length > 0 &&
    (OF_TIME.test(words.at(-1) ?? '') ||
      (words.length > 1 && words.at(-1) === 'el') ||
      /(?:time|date|timestamp|datetime)$/.test(place.name))
  );
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function access(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) && !RESERVED.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** The name in the expression of a list or an object: `body.configurationItems`. */
function nameIn(expression: string): string {
  return simple(/[\p{L}\p{N}_-]+(?="?\](?:\[0\])?$|(?:\[0\])?$)/u.exec(expression)?.[0] ?? expression);
}

function simple(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
