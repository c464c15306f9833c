import { type Kysely, sql } from 'kysely';
import { subDays } from '../../../runtime/dates.ts';
import type { ServiceTables } from '../schema/tables.ts';

export interface AuditRetention {
  prune(now: Date): Promise<void>;
}

/**
 * Removes who signed in, what people did with integrations, and the history of keys that do not work any more, after
 * `days`. The history of a working key stays: the list of keys tells who created it.
 *
 * @param days null: nothing is removed
 */
export function createAuditRetention(db: Kysely<ServiceTables>, days: number | null): AuditRetention {
  return {
    async prune(now) {
      if (days === null) {
        return;
      }
      const cutoff = subDays(now, days);
      await db.deleteFrom('sign_in_events').where('occurred_at', '<', cutoff).execute();
      await db.deleteFrom('integration_changes').where('occurred_at', '<', cutoff).execute();
      await sql`
        delete from api_key_events where occurred_at < ${cutoff} and not exists (
          select from api_keys where id = key_id and revoked_at is null and (expires_at is null or expires_at > ${now})
        )`.execute(db);
    },
  };
}
