import type { Attributes, AttributeValue } from './telemetry.ts';

/** Maximum lengths in characters. Longer text is cut and ends in `…`. */
export const TEXT_LIMITS = { service: 200, summary: 200, body: 4_000, attribute: 2_000, fingerprint: 400 } as const;

const MAX_ATTRIBUTES = 64;
const MAX_DEPTH = 4;
const NUL = '\u0000';

/** Replaces what PostgreSQL cannot store: NUL and lone surrogates. */
function clean(text: string): string {
  return (text.includes(NUL) ? text.replaceAll(NUL, '\ufffd') : text).toWellFormed();
}

/** Cuts to at most `limit` characters, without splitting a surrogate pair. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) {
    return clean(text);
  }
  const end = limit - 1;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${clean(text.slice(0, splitsPair ? end - 1 : end))}…`;
}

/** The first non-empty line, with white space collapsed. */
export function oneLine(text: string, limit: number): string {
  const line =
    text
      .slice(0, 10 * limit)
      .split(/[\r\n]+/)
      .find((candidate) => candidate.trim() !== '') ?? '';
  return clip(line.replace(/\s+/g, ' ').trim(), limit);
}

/**
 * Numbers, ids and names that differ between occurrences of the same failure. The order matters. Versions of an API
 * (`/v1/`, `/v2.1/`, `.v1beta1.`) tell operations apart; a match that begins with `v` is one, and stays.
 */
const VARIABLE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g, '<text>'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '<ip>'],
  [/(?:\b[0-9a-f]{1,4})?(?::[0-9a-f]{0,4}){3,7}\b/gi, '<ip>'],
  [/\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi, '<id>'],
  [/(?<=[/.])v\d{1,2}(?:\.\d{1,2}|(?:alpha|beta)\d{1,2})?(?![\w-]|\.\d)|\d+(?:[.,]\d+)*/g, '<n>'],
];

/** Text is cut after masking, so that a long id does not move the cut. */
const TEMPLATE_LIMITS = { read: 1_000, kept: 250 };

/** The text with its variable parts masked, so that it is equal for all requests with the same failure. */
export function template(text: string): string {
  const line = oneLine(text, TEMPLATE_LIMITS.read);
  const masked = VARIABLE_PARTS.reduce(
    (rest, [part, mask]) => rest.replace(part, (found) => (found.startsWith('v') ? found : mask)),
    line,
  );
  return clip(masked, TEMPLATE_LIMITS.kept);
}

/** Masks, also those of names of services in error lines. */
const MASK = /<(?:service|text|id|ip|n)>/g;
/** The port that the name of a call ends in, see `nameOperation`. */
const MASKED_PORT = /(?<= to [\w.-]+):<n>$/;

/** A masked text as people read it: `POST to bank` for `POST to bank:<n>`, `GET /orders/…` for `GET /orders/<n>`. */
export function readable(masked: string): string {
  return masked.replace(MASKED_PORT, '').replaceAll(MASK, '…');
}

/** Readable on purpose, so that people can see why two signals folded. */
export function fingerprint(...parts: readonly string[]): string {
  return clip(parts.join('|'), TEXT_LIMITS.fingerprint);
}

/** Limits size and depth of attributes and makes them storable. */
export function keepable(attributes: Attributes): Record<string, AttributeValue> {
  return keepableRecord(attributes, 0);
}

function keepableRecord(record: Attributes, depth: number): Record<string, AttributeValue> {
  const entries = Object.entries(record).slice(0, MAX_ATTRIBUTES);
  return Object.fromEntries(
    entries.map(([key, value]) => [clip(key, TEXT_LIMITS.service), keepableValue(value, depth)]),
  );
}

function keepableValue(value: AttributeValue, depth: number): AttributeValue {
  if (typeof value === 'string') {
    return clip(value, TEXT_LIMITS.attribute);
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : String(value);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (depth === MAX_DEPTH) {
    return '…';
  }
  return Array.isArray(value)
    ? value.slice(0, MAX_ATTRIBUTES).map((item) => keepableValue(item, depth + 1))
    : keepableRecord(value as Attributes, depth + 1);
}

/** An attribute as text; empty when absent. */
export function textOf(value: AttributeValue | undefined): string {
  if (value === undefined || value === null) {
    return '';
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
