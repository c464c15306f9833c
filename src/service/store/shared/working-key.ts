import { type RawBuilder, sql } from 'kysely';

/**
 * Whether the API key that a session or a link depends on still works. True for rows that depend on no key.
 *
 * @param table its column `api_key_id` is null if the row depends on no key
 */
export function hasWorkingKey(table: 'sessions' | 'sign_in_links', now: Date): RawBuilder<boolean> {
  const column = sql.ref(`${table}.api_key_id`);
  return sql<boolean>`(${column} is null or exists (
    select from api_keys key where key.id = ${column}
      and key.revoked_at is null and (key.expires_at is null or key.expires_at > ${now})
  ))`;
}
