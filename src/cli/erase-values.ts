/** Who is to be erased. Ids, addresses and Slack ids are found in any case, and only as whole words. */
export interface Erased {
  /** As in an `Actor`: `email:ana@example.com`. */
  readonly ids: readonly string[];
  /** What says by itself who it is: addresses and Slack ids. */
  readonly words: readonly string[];
  /** Anybody may have the same, so they count only beside an id or a word. */
  readonly names: ReadonlySet<string>;
  /** Those of them that nobody else has who is known: they count in a field that says who did something, too. */
  readonly ownNames: ReadonlySet<string>;
  /** Such as "former member 7f3a", in place of names, addresses and Slack ids. */
  readonly name: string;
  /** In place of ids, so that what one person did stays what one person did. */
  readonly id: string;
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Returns a copy of a row or another JSON value without the person. What others wrote in free text may still have the name. */
export function erase(value: Json, erased: Erased): Json {
  if (typeof value === 'string') {
    return eraseText(value, erased);
  }
  if (Array.isArray(value)) {
    return value.map((each) => erase(each, erased));
  }
  return typeof value === 'object' && value !== null ? eraseFields(value as JsonObject, erased) : value;
}

export type JsonObject = { readonly [key: string]: Json };

/** Names that stand beside one of the ids: `acknowledged_by` beside `acknowledged_by_id`. */
export function namesBeside(fields: JsonObject, { ids }: Pick<Erased, 'ids'>): string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (typeof value === 'object' && value !== null) {
      return namesBeside(Object.fromEntries(Object.entries(value)), { ids });
    }
    const owner = ownerOf(fields, key);
    return typeof value === 'string' && owner !== null && isOneOf(owner, ids) ? [value] : [];
  });
}

/** `declared_by`, `acknowledgedBy`. */
const DOER = /(?:^|_)by$|By$/;

function eraseFields(fields: JsonObject, erased: Erased): JsonObject {
  const { ids, names, ownNames, name } = erased;
  const isTheirRow = isAbout(fields, erased);
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const owner = ownerOf(fields, key);
      const isTheirs =
        (isTheirRow && (owner === null || isOneOf(owner, ids)) && isIn(names, value)) ||
        (owner === null && DOER.test(key) && isIn(ownNames, value));
      return [key, isTheirs ? name : erase(value, erased)];
    }),
  );
}

function isIn(names: ReadonlySet<string>, value: Json): boolean {
  return typeof value === 'string' && names.has(value);
}

/** Whether a field is an id, an address or a Slack id of the person. */
export function isAbout(fields: JsonObject, { ids, words }: Pick<Erased, 'ids' | 'words'>): boolean {
  const known = [...ids, ...words];
  return Object.values(fields).some((value) => typeof value === 'string' && isOneOf(value, known));
}

function eraseText(text: string, { ids, words, name, id }: Erased): string {
  const withoutIds = ids.reduce((left, each) => left.replace(wordOf(each), id), text);
  return words.reduce(
    (left, each) => left.replace(new RegExp(`<@${literal(each)}(\\|[^>]*)?>`, 'gi'), name).replace(wordOf(each), name),
    withoutIds,
  );
}

/** The id that says who a name is; null: none does. */
function ownerOf(fields: JsonObject, key: string): string | null {
  const owner = fields[`${key}_id`] ?? fields[`${key}Id`];
  return typeof owner === 'string' ? owner : null;
}

function isOneOf(value: string, known: readonly string[]): boolean {
  return known.some((each) => each.toLowerCase() === value.toLowerCase());
}

function wordOf(text: string): RegExp {
  return new RegExp(`(?<![\\w.+-])${literal(text)}(?![\\w-]|\\.\\w)`, 'gi');
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
