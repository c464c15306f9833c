/** Maximum length of a payload, in characters of JSON. */
const MAX_LENGTH = 16_384;

/** Everything that grants access: tokens, trigger ids, and URLs that work without a token. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(xox[a-z]|xapp)-[\w-]+/g, '$1-•••'],
  [/\b\d{13}\.\d+\.[0-9a-f]{24}\b/g, '•••'],
  [/\/(response|upload)\/[\w-]+/g, '/$1/•••'],
  [/\bticket=[\w-]+/g, 'ticket=•••'],
];

/** A payload for people: secrets masked, JSON inside strings parsed, long payloads cut. */
export function redactPayload(payload: unknown): unknown {
  const shown = clean(payload ?? null);
  const text = JSON.stringify(shown);
  return text.length <= MAX_LENGTH ? shown : { cut: true, characters: text.length, start: text.slice(0, MAX_LENGTH) };
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') {
    const parsed = parseJson(value);
    return parsed === null
      ? SECRETS.reduce((text, [secret, mask]) => text.replace(secret, mask), value)
      : clean(parsed);
  }
  if (Array.isArray(value)) {
    return value.map(clean);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, name === 'token' ? '•••' : clean(field)]),
  );
}

/** In a form, arguments that are objects are sent as JSON. */
function parseJson(text: string): object | null {
  if (!/^[[{]/.test(text)) {
    return null;
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
