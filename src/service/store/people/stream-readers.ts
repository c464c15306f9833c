import { type Kysely, sql } from 'kysely';
import { subMinutes } from '../../../runtime/dates.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { isAlive } from './session-store.ts';

/**
 * Finds which API keys and sessions still work, and records their use.
 *
 * @param ids of keys and sessions, which differ in their prefixes
 */
export async function findWorkingReaders(
  db: Kysely<ServiceTables>,
  ids: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string; isSession: boolean; isIdle: boolean }>`
    select id, false as "isSession", last_used_at is null or last_used_at <= ${subMinutes(now, 1)} as "isIdle"
    from api_keys
    where id = any(${ids}::text[]) and revoked_at is null and (expires_at is null or expires_at > ${now})
    union all
    select id, true, last_seen_at <= ${subMinutes(now, 1)} from sessions where id = any(${ids}::text[]) and ${isAlive(now)}
  `.execute(db);
  const idle = rows.filter(({ isIdle }) => isIdle);
  if (idle.length > 0) {
    const touched = idle.map(({ id }) => id);
    await sql`
      with sessions_seen as (update sessions set last_seen_at = ${now} where id = any(${touched}::text[]))
      update api_keys set last_used_at = ${now} where id = any(${touched}::text[])
    `.execute(db);
  }
  return new Set(rows.map(({ id }) => id));
}
