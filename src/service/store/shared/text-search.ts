import { type RawBuilder, sql } from 'kysely';

/** Whether lower-case text contains another, whatever the case of that. */
export function contains(searched: RawBuilder<string>, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`${searched} like lower(${pattern})`;
}
