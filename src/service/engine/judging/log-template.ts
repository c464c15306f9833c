import { KEPT_LINE, LEAST_STATEMENT, READ_TEXT } from './constants.ts';

/** Variable parts of a log line and their placeholders, replaced in this order. */
const VARIABLE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g, '<text>'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi, '<id>'],
  [/\d+(?:[.,:]\d+)*/g, '<n>'],
];
const WORD = /[\w.-]*\w/g;

/**
 * An error line with its variable parts masked: the message matters, and tells one failure from another. Names of
 * services are variable too: "no instances of a" and "no instances of b" are one failure.
 */
export function errorTemplate(text: string, services: { has(name: string): boolean }): string {
  const read = text.slice(0, READ_TEXT).replace(WORD, (word) => (services.has(word) ? '<service>' : word));
  return mask(read).slice(0, KEPT_LINE);
}

/** The words of a line that may be names of services. */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.match(WORD));
}

/** Any other line up to its first value: the same for every run of one statement. */
export function statementTemplate(text: string): string {
  const masked = mask(text.slice(0, KEPT_LINE));
  const end = masked.slice(LEAST_STATEMENT).search(/[:=：]/);
  return end === -1 ? masked : masked.slice(0, LEAST_STATEMENT + end);
}

function mask(text: string): string {
  return VARIABLE_PARTS.reduce((rest, [part, name]) => rest.replace(part, name), text.replace(/\s+/g, ' ').trim());
}
