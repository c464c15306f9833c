/** NUL and lone surrogates, as `JSON.stringify` writes them. An even number of backslashes before them is text. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** JSON for PostgreSQL. Characters that it cannot store become U+FFFD. */
export function toStorableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSTORABLE, '$1\\ufffd');
}
