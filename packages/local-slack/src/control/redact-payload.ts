/** Characters of JSON that one entry of the inspector shows. */
const SHOWN = 16_384;

/** What opens something: tokens, trigger ids, and the addresses that need no token. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(xox[a-z]|xapp)-[\w-]+/g, '$1-•••'],
  [/\b\d{13}\.\d+\.[0-9a-f]{24}\b/g, '•••'],
  [/\/(response|upload)\/[\w-]+/g, '/$1/•••'],
  [/\bticket=[\w-]+/g, 'ticket=•••'],
];

/** A payload as a person reads it: without secrets, JSON in strings opened, and cut where it is long. */
export function legible(payload: unknown): unknown {
  const shown = clean(payload ?? null);
  const text = JSON.stringify(shown);
  return text.length <= SHOWN ? shown : { cut: true, characters: text.length, start: text.slice(0, SHOWN) };
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') {
    const opened = open(value);
    return opened === null
      ? SECRETS.reduce((text, [secret, mask]) => text.replace(secret, mask), value)
      : clean(opened);
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

/** Arguments that are objects come as JSON in a form. */
function open(text: string): object | null {
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
