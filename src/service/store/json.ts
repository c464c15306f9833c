/** NUL and half surrogate pairs, as `JSON.stringify` writes them; an even number of backslashes before is text. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** JSON that PostgreSQL takes: characters that it cannot hold become U+FFFD. */
export function toStorableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSTORABLE, '$1\\ufffd');
}
