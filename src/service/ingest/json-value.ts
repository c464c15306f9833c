import type { AttributeValue } from '../core/telemetry.ts';
import { type AttributeList, createAttributeList, MalformedMessageError, setAttribute } from './decoded.ts';
import { INGEST_LIMITS } from './limits.ts';

/** An object of a JSON message; empty when absent. */
export type Fields = Readonly<Record<string, unknown>>;

/** An integer that a Number may not represent exactly. A match inside a string only costs time. */
const LONG_INTEGER = /[:[,]\s*-?\d{16}/;
const MAX_UINT64 = (1n << 64n) - 1n;

/** Parses JSON. Integers beyond the safe range become decimal text. @throws {MalformedMessageError} */
export function parseJson(text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new MalformedMessageError('a part of it is not valid JSON', { cause });
  }
}

function parse(text: string): unknown {
  return LONG_INTEGER.test(text) ? JSON.parse(text, keepExact) : JSON.parse(text);
}

function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isLossy = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  const source = isLossy ? context?.source : undefined;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

/** @throws {MalformedMessageError} when it is present and not an object */
export function fieldsOf(value: unknown): Fields {
  if (value === undefined || value === null) {
    return {};
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new MalformedMessageError('expected an object');
  }
  return value as Fields;
}

/** @throws {MalformedMessageError} when it is present and not a list */
export function listOf(value: unknown): readonly Fields[] {
  return itemsOf(value).map(fieldsOf);
}

function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw new MalformedMessageError('expected a list');
  }
  return value;
}

export function textIn(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  if (typeof value !== 'string') {
    throw new MalformedMessageError('expected a text');
  }
  return value;
}

/**
 * An id as lower-case hex. OTLP/JSON has ids in hex; encoders that know only protobuf write them in base64, as it does with
 * bytes. The two have different lengths.
 */
export function idIn(value: unknown, bytes: 8 | 16): string {
  const text = textIn(value).trim();
  const base64 = text.replace(/={1,2}$/, '');
  return base64.length === Math.ceil((bytes * 4) / 3)
    ? Buffer.from(base64, 'base64').toString('hex')
    : text.toLowerCase();
}

/** A time in nanoseconds, as text or number; 0n when absent or invalid. */
export function nanosIn(value: unknown): bigint {
  const text = typeof value === 'number' ? String(value) : textIn(value);
  const nanos = /^\d{1,20}$/.test(text) ? BigInt(text) : 0n;
  return nanos <= MAX_UINT64 ? nanos : 0n;
}

/** A number, or a number as text (`"5"`, `"NaN"`, `"-Infinity"`); null when absent. */
export function numberIn(value: unknown): number | null {
  if (value === undefined || value === null) {
    return null;
  }
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || (Number.isNaN(number) && value !== 'NaN')) {
    throw new MalformedMessageError('expected a number');
  }
  return number;
}

/** An enum by number or by name: the index of the name's last part in `names` (`SPAN_KIND_SERVER` in `['server']`). */
export function enumIn(value: unknown, prefix: string, names: readonly string[]): number {
  const isName = typeof value === 'string' && value.startsWith(prefix);
  return isName ? names.indexOf(value.slice(prefix.length).toLowerCase()) : (numberIn(value) ?? 0);
}

/** A list of `{ key, value }`. */
export function attributesIn(value: unknown, depth = 0): AttributeList['values'] {
  const list = createAttributeList();
  for (const item of itemsOf(value)) {
    const entry = fieldsOf(item);
    setAttribute(list, textIn(entry.key), valueIn(entry.value, depth));
  }
  return list.values;
}

/** OTLP's `AnyValue`. */
export function valueIn(value: unknown, depth = 0): AttributeValue {
  if (depth > INGEST_LIMITS.valueDepth) {
    throw new MalformedMessageError(`a value is nested deeper than ${INGEST_LIMITS.valueDepth} levels`);
  }
  const fields = fieldsOf(value);
  if (typeof fields.stringValue === 'string') return fields.stringValue;
  if (typeof fields.boolValue === 'boolean') return fields.boolValue;
  if (fields.intValue !== undefined) return int64In(fields.intValue);
  if (fields.doubleValue !== undefined) return numberIn(fields.doubleValue);
  if (fields.arrayValue !== undefined) {
    const items = itemsOf(fieldsOf(fields.arrayValue).values).slice(0, INGEST_LIMITS.attributes);
    return items.map((item) => valueIn(item, depth + 1));
  }
  if (fields.kvlistValue !== undefined) return attributesIn(fieldsOf(fields.kvlistValue).values, depth + 1);
  return typeof fields.bytesValue === 'string' ? fields.bytesValue : null;
}

/** Decimal text beyond the safe range of a Number. */
function int64In(value: unknown): AttributeValue {
  const number = numberIn(value);
  return number === null || Number.isSafeInteger(number) ? number : String(value);
}
