import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';

const MARK = /\/\* prepared ([a-z-]+) \*\//;
/** Only this much of a statement is searched for its mark. */
const MARK_WITHIN = 200;
/** Statements that are prepared on a connection; a limit, because the server keeps them until the connection ends. */
const MOST_PREPARED = 100;

/**
 * Marks a statement that is prepared once per connection, so that later runs need no parsing and planning. Place it near
 * the beginning. The text of the statement must not depend on its values.
 */
export function prepared(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared ${name} */`);
}

/** Names of the prepared statements of one connection, by their text. */
export type StatementNames = Map<string, string>;

/** @returns null: the statement is not marked */
export function nameOf(text: string, names: StatementNames): string | null {
  const known = names.get(text);
  if (known !== undefined) {
    return known;
  }
  const mark = MARK.exec(text.slice(0, MARK_WITHIN))?.[1];
  if (mark === undefined || names.size >= MOST_PREPARED) {
    return null;
  }
  // Two texts never share a name, or the server would run the wrong one.
  const name = `${mark}-${createHash('sha256').update(text).digest('base64url').slice(0, 12)}`;
  names.set(text, name);
  return name;
}
