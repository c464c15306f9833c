import { type RawBuilder, sql } from 'kysely';

/**
 * Whether the key that vouches for a session or a link still works. One that nobody vouches for needs none.
 *
 * @param table its column `api_key_id` is null when no key does
 */
export function hasWorkingKey(table: 'sessions' | 'sign_in_links', now: Date): RawBuilder<boolean> {
  const column = sql.ref(`${table}.api_key_id`);
  return sql<boolean>`(${column} is null or exists (
    select from api_keys key where key.id = ${column}
      and key.revoked_at is null and (key.expires_at is null or key.expires_at > ${now})
  ))`;
}
