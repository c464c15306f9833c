import type { Attributes, AttributeValue, LogRecord } from '../../core/telemetry.ts';
import { type Collector, createCollector, type Decoding } from '../decoded.ts';
import { type JsonCursor, openJson, readSmallValue } from '../json-cursor.ts';

/**
 * Reads JSON values one after the other, with or without white space between them.
 *
 * @param toRecord is called with each; undefined: it is too large, and what it returns is not used
 */
export function* decodeJsonLines(
  body: Uint8Array,
  toRecord: (value: unknown) => LogRecord | null | 'no record',
): Decoding<LogRecord> {
  const into = createCollector<LogRecord>();
  const cursor = openJson(body);
  while (!isAtEnd(cursor)) {
    const start = cursor.at;
    take(cursor, into, toRecord);
    yield* into.pauseAfter(cursor.at - start);
  }
  return into.decoded;
}

function take(
  cursor: JsonCursor,
  into: Collector<LogRecord>,
  toRecord: (value: unknown) => LogRecord | null | 'no record',
): void {
  const value = readSmallValue(cursor);
  const record = toRecord(value);
  if (record === 'no record') {
    return;
  }
  into.count('items');
  if (value === undefined) {
    into.addTooLarge();
  } else {
    into.add(record, () => value);
  }
}

function isAtEnd(cursor: JsonCursor): boolean {
  while (cursor.at < cursor.bytes.length && (cursor.bytes[cursor.at] ?? 0) <= 0x20) {
    cursor.at += 1;
  }
  return cursor.at >= cursor.bytes.length;
}

/** What JSON gives is what attributes may be. */
export function isMap(value: unknown): value is Attributes & Readonly<Record<string, AttributeValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
