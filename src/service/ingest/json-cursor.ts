import { isUtf8 } from 'node:buffer';
import { createFieldLimit, MalformedMessageError } from './decoded.ts';
import { parseJson } from './json-value.ts';
import { INGEST_LIMITS } from './limits.ts';

/**
 * Reads JSON piece by piece: large lists are counted and read one element at a time, so that neither the size of the
 * memory nor the length of a step depends on the size of the body. Pieces are parsed by `JSON.parse`.
 */

/** A position in JSON text. */
export interface JsonCursor {
  readonly bytes: Buffer;
  at: number;
}

/** An object of which only the small members were read. */
export interface Outline {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The values of the other members. */
  readonly located: readonly { readonly key: string; readonly value: JsonCursor }[];
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const LITERAL_SIGNS = [0x2b, 0x2d, 0x2e, 0x45]; // + - . E
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** @throws {MalformedMessageError} when the bytes are not UTF-8 */
export function openJson(body: Uint8Array): JsonCursor {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isUtf8(bytes)) {
    throw new MalformedMessageError('the text is not UTF-8');
  }
  return { bytes, at: bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0 };
}

/** @throws {MalformedMessageError} */
export function expectEnd(cursor: JsonCursor): void {
  if (nextByte(cursor) !== undefined) {
    throw new MalformedMessageError('there is something after the end of the JSON text');
  }
}

/**
 * Steps through the members of the object at the cursor; `null` is an object without members. The caller moves the cursor
 * past the value of a member that it reads. The others are checked.
 *
 * @throws {MalformedMessageError}
 * @throws {RequestTooLargeError} when there are too many members, or the others are too large
 */
export function* members(cursor: JsonCursor): Generator<string> {
  const limitFields = createFieldLimit();
  for (const _ of entries(cursor, OPEN_OBJECT, CLOSE_OBJECT, 'an object')) {
    const key = readKey(cursor);
    const start = cursor.at;
    yield key;
    if (cursor.at > start) {
      limitFields();
    } else {
      const values = skipValue(cursor);
      limitFields(cursor.at - start, values);
      parseBetween(cursor.bytes, start, cursor.at);
    }
  }
}

/**
 * Reads the object at the cursor; `null` is an object without members.
 *
 * @param isLocated whether a member is only located, because it may be large
 * @throws {MalformedMessageError}
 * @throws {RequestTooLargeError} when it has too many members, or those that are read are too large
 */
export function readOutline(cursor: JsonCursor, isLocated: (key: string) => boolean): Outline {
  const fields: Record<string, unknown> = Object.create(null); // `__proto__` is a key like any other
  const located: { key: string; value: JsonCursor }[] = [];
  const limitFields = createFieldLimit();
  for (const _ of entries(cursor, OPEN_OBJECT, CLOSE_OBJECT, 'an object')) {
    const key = readKey(cursor);
    const start = cursor.at;
    const values = skipValue(cursor);
    if (isLocated(key)) {
      limitFields();
      located.push({ key, value: { bytes: cursor.bytes, at: start } });
    } else {
      limitFields(cursor.at - start, values);
      fields[key] = parseBetween(cursor.bytes, start, cursor.at);
    }
  }
  return { fields, located };
}

/**
 * Steps through the list at the cursor; `null` is an empty list. The caller moves the cursor past each element.
 *
 * @throws {MalformedMessageError}
 */
export function elements(cursor: JsonCursor): Generator<void> {
  return entries(cursor, OPEN_LIST, CLOSE_LIST, 'a list');
}

/** Reads the value at the cursor. @returns undefined when it is too large and was skipped */
export function readSmallValue(cursor: JsonCursor): unknown {
  const start = cursor.at;
  const values = skipValue(cursor);
  const isSmall = cursor.at - start <= INGEST_LIMITS.itemBytes && values <= INGEST_LIMITS.itemValues;
  return isSmall ? parseBetween(cursor.bytes, start, cursor.at) : undefined;
}

/**
 * Moves past the value at the cursor, in one pass over its bytes. It finds the end by brackets and strings only; the
 * syntax is checked when the value is read.
 *
 * @returns the number of values in it, about
 * @throws {MalformedMessageError}
 */
export function skipValue(cursor: JsonCursor): number {
  const { bytes } = cursor;
  const first = nextByte(cursor);
  if (first === OPEN_OBJECT || first === OPEN_LIST) {
    return skipNested(cursor);
  }
  cursor.at = first === QUOTE ? endOfString(bytes, cursor.at) + 1 : endOfLiteral(bytes, cursor.at);
  return 1;
}

function skipNested(cursor: JsonCursor): number {
  const { bytes } = cursor;
  let values = 1;
  let depth = 0;
  for (let { at } = cursor; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    switch (byte) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case COMMA:
        values += 1;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        values += 1;
        depth += 1;
        if (depth > INGEST_LIMITS.jsonDepth) {
          throw new MalformedMessageError(`JSON is nested deeper than ${INGEST_LIMITS.jsonDepth} levels`);
        }
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth -= 1;
        if (depth === 0) {
          cursor.at = at + 1;
          return values;
        }
        break;
      default: // a part of a number or a word, or white space
    }
  }
  throw endsEarly();
}

/** A number, `true`, `false` or `null`. @returns the byte after it */
function endOfLiteral(bytes: Buffer, start: number): number {
  let at = start;
  while (isLiteral(bytes[at])) {
    at += 1;
  }
  if (at === start) {
    throw start < bytes.length ? new MalformedMessageError('expected a JSON value') : endsEarly();
  }
  return at;
}

/** Part of a number or a word. */
function isLiteral(byte = 0): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || LITERAL_SIGNS.includes(byte);
}

/** Steps through the entries of an object or list; the caller moves the cursor past each. */
function* entries(cursor: JsonCursor, open: number, close: number, expected: string): Generator<void> {
  if (nextByte(cursor) !== open) {
    if (readSmallValue(cursor) === null) {
      return;
    }
    throw new MalformedMessageError(`expected ${expected}`);
  }
  cursor.at += 1;
  if (nextByte(cursor) === close) {
    cursor.at += 1;
    return;
  }
  for (;;) {
    nextByte(cursor);
    yield;
    const byte = nextByte(cursor);
    cursor.at += 1;
    if (byte === close) {
      return;
    }
    if (byte !== COMMA) {
      throw byte === undefined ? endsEarly() : new MalformedMessageError(`expected "," or the end of ${expected}`);
    }
  }
}

/** Leaves the cursor at the value. */
function readKey(cursor: JsonCursor): string {
  const start = cursor.at;
  if (cursor.bytes[start] !== QUOTE) {
    throw new MalformedMessageError('expected the name of a member');
  }
  const end = endOfString(cursor.bytes, start) + 1;
  cursor.at = end;
  if (nextByte(cursor) !== COLON) {
    throw new MalformedMessageError('expected ":" after the name of a member');
  }
  cursor.at += 1;
  nextByte(cursor);
  return String(parseBetween(cursor.bytes, start, end));
}

/** Moves past white space. @returns the byte there; undefined at the end */
function nextByte(cursor: JsonCursor): number | undefined {
  while (isSpace(cursor.bytes[cursor.at])) {
    cursor.at += 1;
  }
  return cursor.bytes[cursor.at];
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}

/** @param start the opening quote @returns the closing quote */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === BACKSLASH) {
      at += 1;
    } else if (byte === QUOTE) {
      return at;
    }
  }
  throw endsEarly();
}

function parseBetween(bytes: Buffer, start: number, end: number): unknown {
  return parseJson(bytes.toString('utf8', start, end));
}

function endsEarly(): MalformedMessageError {
  return new MalformedMessageError('the JSON text ends early');
}
