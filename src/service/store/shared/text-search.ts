import { type RawBuilder, sql } from 'kysely';

/** Whether `searched`, which is in lower case, contains `text` in any case. */
export function contains(searched: RawBuilder<string>, text: string): RawBuilder<boolean> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`${searched} like lower(${pattern})`;
}
